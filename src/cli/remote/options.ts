import { Option, type Command } from '@commander-js/extra-typings'
import { day, days, httpUrl, names, parsed } from '../parsers.ts'
import { conditions } from './parse-where.ts'

export const baseUrl = new Option('--base-url <url>', 'Address of the server; ADCUBE_BASE_URL if omitted').argParser(
  parsed(httpUrl),
)

const dimensions = new Option('-d, --dimensions <names>', 'Dimensions, separated by commas').argParser(names)
const metrics = () => new Option('-m, --metrics <names>', 'Metrics, separated by commas').argParser(names)
const last = new Option('--last <days>', 'The last days that are over (default: 7d)')
  .argParser(days)
  .conflicts(['from', 'to'])
const from = new Option('--from <day>', 'First day, yyyy-MM-DD (UTC), today or yesterday').argParser(day)
const to = new Option('--to <day>', 'Last day, with --from (default: today)').argParser(day)
const where = new Option(
  '--where <condition>',
  "Condition: 'F=V', 'F like P%', 'F in A,B' or 'F not in A,B'; all of several must hold",
).argParser(conditions)
const sort = new Option(
  '--sort <names>',
  'Fields to sort by, separated by commas; - in front sorts downwards',
).argParser(names)

/** Adds the options that `adcube query` and `adcube report` share. */
export const withQueryOptions = <Args extends unknown[], Mandatory extends boolean>(
  command: Command<Args>,
  { needsMetrics }: { readonly needsMetrics: Mandatory },
) =>
  command
    .addOption(dimensions)
    .addOption(metrics().makeOptionMandatory(needsMetrics))
    .addOption(last)
    .addOption(from)
    .addOption(to)
    .addOption(where)
    .addOption(sort)
