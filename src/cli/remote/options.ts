import { Option } from '@commander-js/extra-typings'
import { day, days, names, parsed, serverUrl } from '../parsers.ts'
import { conditions } from './parse-where.ts'

export const baseUrl = new Option('--base-url <url>', 'Address of the server; ADCUBE_BASE_URL if omitted').argParser(
  parsed(serverUrl),
)

// The options that `adcube query` and `adcube report` share.
export const dimensions = new Option('-d, --dimensions <names>', 'Dimensions, separated by commas').argParser(names)
export const metrics = <Mandatory extends boolean>(isMandatory: Mandatory) =>
  new Option('-m, --metrics <names>', 'Metrics, separated by commas').argParser(names).makeOptionMandatory(isMandatory)
export const last = new Option('--last <days>', 'The last days that are over (default: 7d)')
  .argParser(days)
  .conflicts(['from', 'to'])
export const from = new Option('--from <day>', 'First day, yyyy-MM-DD (UTC), today or yesterday').argParser(day)
export const to = new Option('--to <day>', 'Last day, with --from (default: today)').argParser(day)
export const where = new Option(
  '--where <condition>',
  "Condition: 'F=V', 'F like P%', 'F in A,B' or 'F not in A,B'; all of several must hold",
).argParser(conditions)
export const sort = new Option(
  '--sort <names>',
  'Fields to sort by, separated by commas; - in front sorts downwards',
).argParser(names)
