import { Argument, Option } from 'commander'
import { passwordCharactersMax, passwordCharactersMin } from '../contract/forms.ts'
import { cubes } from '../catalog/cubes.ts'
import { asynchronousLimits, synchronousLimits } from '../catalog/limits.ts'
import { version } from '../version.ts'
import { addCompletion } from './completion.ts'
import { Entry, json } from './entry.ts'
import { address, conditions, day, days, names } from './analysis/parsers.ts'
import { accountId, cube, cubeList, email, name, wholeNumber } from './parsers.ts'

/** A limit above 1,800 requests of each method a second protects no server, and is more likely a slip. */
const rateFactorMax = 100

const cubeNames = cubes.map(({ alias }) => alias)
const cubeArgument = (usage = '<cube>'): Argument =>
  new Argument(usage, 'Name of a cube').choices(cubeNames).argParser(cube)
const cubeOption = new Option('--cube <cube>', 'Only this cube').choices(cubeNames).argParser(cube)
const passwordOption = new Option(
  '--password-stdin',
  `Read the password from standard input (${passwordCharactersMin} to ${passwordCharactersMax} characters); ` +
    'if omitted, a password is generated and shown',
)

const baseUrl = new Option('--base-url <url>', 'Address of the server; ADCUBE_BASE_URL if omitted').argParser(address)
const output = (description: string): Option => new Option('-o, --output <file>', description)

const dimensions = new Option('-d, --dimensions <names>', 'Dimensions, separated by commas').argParser(names)
const metrics = (): Option => new Option('-m, --metrics <names>', 'Metrics, separated by commas').argParser(names)
const choice = [
  new Option('--last <days>', 'The last days that are over (default: 7d)').argParser(days).conflicts(['from', 'to']),
  new Option('--from <day>', 'First day, yyyy-MM-DD (UTC), today or yesterday').argParser(day),
  new Option('--to <day>', 'Last day, with --from (default: today)').argParser(day),
  new Option(
    '--where <condition>',
    "Condition: 'F=V', 'F like P%', 'F in A,B' or 'F not in A,B'; all of several must hold",
  ).argParser(conditions),
  new Option('--sort <names>', 'Fields to sort by, separated by commas; - in front sorts downwards').argParser(names),
]

/** The whole command line, in the order of `adcube --help`. */
export function commandLine(): Entry {
  const program = new Entry('adcube')
    .description('Adcube: an analytics data API for advertising.')
    .version(version, '--version', 'Show the version')
    .helpOption('-h, --help', 'Show help')
    .configureHelp({ subcommandTerm: (command) => command.name() })
    .configureOutput({ outputError: (text, write) => write(text.replace(/^error:/, 'adcube:')) })
    .exitOverride()

  program.commandsGroup('The service:')

  program
    .command('serve')
    .description('Run the server: API, console and reports')
    .option('--demo', 'Fill an empty data folder with sample data of three publishers, and keep it up to date')
    .settings()
    .run(async () => (await import('./serve.ts')).serveCommand)

  program
    .command('worker')
    .description('Make reports, next to servers that share its data')
    .details(
      'It shares jobs and housekeeping with the servers that use the same data folder, or the same control data, ' +
        'ClickHouse and reports folder.',
    )
    .settings()
    .run(async () => (await import('./worker.ts')).workerCommand)

  program
    .command('doctor')
    .description('Check settings, machine, folders, databases and engine')
    .details(
      'It says what to change, and changes nothing itself. Run it as the same user and with the same settings as the ' +
        'server, which may be running or not.',
    )
    .settings()
    .addOption(json)
    .run(async () => (await import('./doctor.ts')).doctorCommand)

  program.commandsGroup('Data:')

  program
    .command('load')
    .description("Load a cube's facts from files")
    .details(
      'Reads Parquet, CSV with a header, or NDJSON, plain or compressed with gzip or zstd. For each account, the days in ' +
        'the files are replaced, all at once, when everything is stored and valid. If anything is wrong, nothing changes.',
    )
    .addArgument(cubeArgument())
    .argument('[files...]', "Files, patterns such as 'facts/*.parquet', - for standard input, or http(s):// addresses")
    .option('--append', 'Add rows instead of replacing days')
    .option('--strict', 'Reject impossible rows, such as more clicks than impressions, instead of warning')
    .option('--create-accounts', 'Create unknown accounts instead of rejecting their rows')
    .addOption(
      new Option('--format <format>', 'Format, if it cannot be detected').choices(['parquet', 'csv', 'ndjson']),
    )
    .option('--repeat', 'Append files even if they were appended before')
    .option('--describe', 'Print the columns that files of the cube can have')
    .option('--templates <folder>', 'With --describe: write an example in each format to this folder')
    .store()
    .examples(
      'adcube load auctions facts/2026-11-18.parquet',
      "adcube load auctions 'facts/*.csv.gz' --append --create-accounts",
      'adcube load --describe auctions --templates examples',
    )
    .run(async () => (await import('./load.ts')).loadCommand)

  program
    .command('loads')
    .description('List loads and their outcome')
    .details('The newest come first. --json includes the files, with checksums, and the warnings.')
    .addOption(cubeOption)
    .option('--limit <number>', 'How many, 1 to 100', wholeNumber(1, 100), 50)
    .option('--before <load>', 'Only loads before this one, for the next page', wholeNumber(1))
    .store()
    .run(async () => (await import('./loads.ts')).listLoadsCommand)

  program
    .command('verify')
    .description('Compare all facts and reports with their recorded checksums')
    .details(
      'It lists missing, changed and stray files; with ClickHouse, it compares the number of rows. Servers, workers and ' +
        'loads can keep running. The exit code is 0 if there are no findings. To verify a backup, use --data-dir BACKUP.',
    )
    .store()
    .run(async () => (await import('./verify.ts')).verifyCommand)

  program
    .command('backup')
    .description('Create or update a backup')
    .details(
      'A backup has the control data as of now, and the facts and reports that belong to them. Servers, workers and loads ' +
        'can keep running. Until an update is complete, the folder remains the earlier backup. On the same file system, ' +
        'files are hard-linked and take no space.',
    )
    .argument('<folder>', 'Folder of the backup')
    .store()
    .run(async () => (await import('./backup.ts')).backupCommand)

  program
    .command('restore')
    .description('Restore a backup to a new data folder')
    .details(
      'The data folder must be empty or missing. Loads that were running during the backup end as failed; unfinished ' +
        'reports are made again. Never run the restored installation and the original on the same reports folder or ' +
        'ClickHouse.',
    )
    .argument('<folder>', 'Folder of the backup')
    .store()
    .examples('adcube restore /backups/adcube --data-dir restored')
    .run(async () => (await import('./restore.ts')).restoreCommand)

  program.commandsGroup('Accounts:')

  const account = program.command('account').description('Create, list, show, change, disable and enable accounts')

  account
    .command('create')
    .description('Create an account')
    .argument('<name>', 'Its name', name)
    .option('--id <id>', 'Id for files and commands; made from the name if omitted', accountId)
    .option('--cubes <cubes>', 'Cubes it can use, separated by commas; all if omitted', cubeList)
    .store()
    .examples("adcube account create 'Harbor News'")
    .run(async () => (await import('./account-create.ts')).createAccountCommand)

  account
    .command('list')
    .description('List the accounts')
    .store()
    .run(async () => (await import('./account-list.ts')).listAccountsCommand)

  account
    .command('show')
    .description('Show an account')
    .argument('<id>', 'Id of the account')
    .store()
    .run(async () => (await import('./account-show.ts')).showAccountCommand)

  account
    .command('set')
    .description('Change the name, the cubes or the rate limits of an account')
    .details('A running server applies the change within a second.')
    .argument('<id>', 'Id of the account')
    .option('--name <name>', 'Its new name', name)
    .option('--cubes <cubes>', 'Cubes it can use, separated by commas', cubeList)
    .option(
      '--rate-factor <number>',
      `Multiplies its rate limits, 1 to ${rateFactorMax}`,
      wholeNumber(1, rateFactorMax),
    )
    .store()
    .run(async () => (await import('./account-set.ts')).setAccountCommand)

  account
    .command('disable')
    .description('Reject all keys and passwords of an account, without deleting anything')
    .details('A running server applies the change within a second.')
    .argument('<id>', 'Id of the account')
    .store()
    .run(async () => (await import('./account-disable.ts')).disableAccountCommand)

  account
    .command('enable')
    .description('Enable a disabled account')
    .argument('<id>', 'Id of the account')
    .store()
    .run(async () => (await import('./account-disable.ts')).enableAccountCommand)

  const user = program.command('user').description('Create, list and remove sign-ins, and change passwords')

  user
    .command('create')
    .description('Create a sign-in for a person')
    .requiredOption('--account <id>', 'Account of the person')
    .requiredOption('--email <address>', 'E-mail address of the person', email)
    .addOption(
      new Option('--role <role>', 'Role of the person').choices(['administrator', 'member']).default('administrator'),
    )
    .addOption(passwordOption)
    .store()
    .examples('adcube user create --account harbor-news --email you@example.com')
    .run(async () => (await import('./user-create.ts')).createUserCommand)

  user
    .command('password')
    .description('Change the password of a person, and end their sessions')
    .argument('<address>', 'E-mail address of the person')
    .addOption(passwordOption)
    .store()
    .run(async () => (await import('./user-password.ts')).setPasswordCommand)

  user
    .command('list')
    .description('List the people of an account, or of all')
    .option('--account <id>', 'Only this account')
    .store()
    .run(async () => (await import('./user-list.ts')).listUsersCommand)

  user
    .command('remove')
    .description('Remove a person, and end their sessions')
    .argument('<address>', 'E-mail address of the person')
    .store()
    .run(async () => (await import('./user-remove.ts')).removeUserCommand)

  const key = program.command('key').description('Create, list and delete API keys')

  key
    .command('create')
    .description('Create an API key and show it once')
    .requiredOption('--account <id>', 'Account of the key')
    .requiredOption('--name <name>', 'Name of the key', name)
    .store()
    .examples("adcube key create --account harbor-news --name 'Nightly report'")
    .run(async () => (await import('./key-create.ts')).createKeyCommand)

  key
    .command('list')
    .description('List the API keys of an account')
    .requiredOption('--account <id>', 'The account')
    .store()
    .run(async () => (await import('./key-list.ts')).listKeysCommand)

  key
    .command('delete')
    .description('Delete an API key')
    .details('A running server rejects it within a second.')
    .argument('<id>', 'Id of the key, as `adcube key list` shows it')
    .store()
    .run(async () => (await import('./key-delete.ts')).deleteKeyCommand)

  program.commandsGroup('Analysis:')

  program
    .command('login')
    .description('Save the address of a server and an API key')
    .details(
      'It asks for the key, checks it, and saves both where only you can read them. ADCUBE_API_KEY and ADCUBE_BASE_URL ' +
        'take precedence. A key is never an option, because other users can see the options of a process.',
    )
    .option('--base-url <url>', 'Address of the server (default: http://127.0.0.1:8080)', address)
    .option('--key-stdin', 'Read the key from standard input')
    .examples('adcube login', 'pass show adcube | adcube login --base-url https://adcube.example.com --key-stdin')
    .run(async () => (await import('./analysis/login.ts')).loginCommand)

  program
    .command('logout')
    .description('Remove what `adcube login` saved')
    .run(async () => (await import('./analysis/logout.ts')).logoutCommand)

  program
    .command('query')
    .description('Ask for rows of a cube')
    .details(
      'It prints a table on a terminal, and CSV into a pipe. A query has at most 2 dimensions, 5 metrics, 14 days and ' +
        '1,000 rows. Names of fields match in any case, and with _ instead of ' +
        'spaces: net_revenue is Net Revenue. `adcube fields` lists them.',
    )
    .addArgument(cubeArgument())
    .takes(dimensions, metrics().makeOptionMandatory(), ...choice)
    .option('--limit <number>', 'How many rows, at most 1,000', wholeNumber(1, synchronousLimits.rowsMax))
    .takes(
      new Option('--format <format>', 'Format; if omitted, that of the FILE').choices([
        'table',
        'json',
        'ndjson',
        'csv',
        'parquet',
      ]),
      new Option('--json', 'The same as --format json').implies({ format: 'json' }),
      output('Write to this file'),
      baseUrl,
    )
    .examples(
      'adcube query auctions -d Country -m Auctions,eCPM --sort -eCPM --limit 20',
      'adcube query auctions -d Day -m net_revenue --last 14d --where "OS=iOS"',
      'adcube query auctions -m Clicks --where "App Name like Chess%"',
      'adcube query platform-performance -d Day,OS -m Fills -o fills.parquet',
    )
    .run(async () => (await import('./analysis/query.ts')).queryCommand)

  program
    .command('report')
    .description('Make a CSV report and download it')
    .details(
      'A report has at most 10 dimensions, 10 metrics and 31 days, and all rows (up to 10,000,000) unless --limit says ' +
        'otherwise. The server ' +
        'goes on when you interrupt it; --job fetches the report later, and continues a download that broke off.',
    )
    .addArgument(cubeArgument('[cube]'))
    .takes(dimensions, metrics(), ...choice)
    .option('--limit <number>', 'How many rows', wholeNumber(1, asynchronousLimits.rowsMax))
    .takes(
      new Option('--job <job>', 'Fetch a report that was started before').conflicts(['metrics', 'dimensions']),
      output('Write to this file when the report is whole; - is standard output'),
      baseUrl,
    )
    .examples(
      'adcube report auctions -d Day,Country,OS -m Clicks,CTR --last 31d -o clicks.csv',
      'adcube report --job job_4b0f… -o clicks.csv',
      'adcube report auctions -d site -m Clicks | duckdb -c "FROM read_csv(\'/dev/stdin\')"',
    )
    .run(async () => (await import('./analysis/report.ts')).reportCommand)

  program
    .command('jobs')
    .description('List the jobs of the last 24 hours, newest first')
    .takes(
      new Option('--status <status>', 'All jobs of this status that are kept, of any age').choices([
        'processing',
        'success',
        'failed',
      ]),
      baseUrl,
      json,
    )
    .run(async () => (await import('./analysis/jobs.ts')).jobsCommand)

  program
    .command('cancel')
    .description('Cancel a job, or delete a finished one and its report')
    .argument('<job>', 'Id of the job, as `adcube jobs` shows it')
    .takes(baseUrl, json)
    .run(async () => (await import('./analysis/cancel.ts')).cancelCommand)

  program
    .command('ranges')
    .description('Show the first and last day loaded, for each cube')
    .takes(baseUrl, json)
    .run(async () => (await import('./analysis/ranges.ts')).rangesCommand)

  program
    .command('fields')
    .description('Show dimensions and metrics, with formulas; needs no server')
    .argument('[words...]', 'Only fields with all of these words in their name, description or formula')
    .takes(cubeOption, json)
    .examples('adcube fields revenue', 'adcube fields --cube auctions video rate')
    .run(async () => (await import('./analysis/fields.ts')).fieldsCommand)

  program
    .command('mcp')
    .description('Run the MCP server on standard input and output, for AI assistants')
    .details('Its tools query the server that `adcube login` saved, within the limits of your account.')
    .takes(baseUrl)
    .run(async () => (await import('./analysis/mcp.ts')).mcpCommand)

  program.commandsGroup('More:').helpCommand('help [command]', 'Show the help of a command')
  addCompletion(program)
  return program
}
