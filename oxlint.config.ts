import { defineConfig, type OxlintOverride } from 'oxlint'

/** Which other rooms each room of src may import. ARCHITECTURE.md says what they hold. */
const mayImport = {
  duckdb: [],
  concurrency: [],
  catalog: [],
  query: ['catalog'],
  contract: ['catalog', 'query'],
  facts: ['duckdb', 'concurrency', 'catalog', 'query'],
  store: ['concurrency', 'catalog', 'query', 'contract'],
  access: ['concurrency', 'catalog', 'query', 'contract', 'store'],
  reports: ['catalog', 'query', 'facts', 'store'],
  ingest: ['duckdb', 'concurrency', 'catalog', 'query', 'facts', 'store'],
  demo: ['duckdb', 'catalog', 'query', 'facts', 'store', 'ingest'],
  backup: ['concurrency', 'catalog', 'query', 'facts', 'store', 'reports', 'ingest'],
  chores: ['catalog', 'query', 'facts', 'store', 'access', 'reports', 'ingest'],
  mcp: ['catalog', 'query', 'client'],
  http: [
    'concurrency',
    'catalog',
    'query',
    'contract',
    'facts',
    'store',
    'access',
    'reports',
    'ingest',
    'client',
    'mcp',
  ],
  metrics: ['catalog', 'query', 'contract', 'facts', 'store', 'access', 'reports', 'ingest', 'http'],
} as const

/** Ingest and demo read and write files with a DuckDB of their own. */
const mayKnowEngines = new Set(['duckdb', 'facts', 'ingest', 'demo'])

const oneWay = 'ARCHITECTURE.md lists which rooms this one may import.'
const engines = ['**/duckdb/**', '**/facts/clickhouse/**', '@duckdb/*', '@clickhouse/*']
const noEngine = {
  group: engines,
  message: 'Only src/facts knows the engines: ask src/facts/facts.ts.',
}

type Refused = { group: string[]; message: string; allowTypeImports?: boolean }
const refuse = (files: string, ...patterns: Refused[]): OxlintOverride => ({
  files: [files],
  rules: { 'no-restricted-imports': ['error', { patterns }] },
})

const othersThan = (...rooms: readonly string[]): string[] =>
  [...Object.keys(mayImport), 'client', 'cli'].filter((each) => !rooms.includes(each)).map((each) => `**/${each}/**`)

export default defineConfig({
  plugins: ['typescript', 'unicorn', 'import', 'promise', 'node', 'oxc'],
  categories: { correctness: 'error', suspicious: 'error', perf: 'error' },
  rules: {
    'no-await-in-loop': 'off',
    'no-shadow': 'off',
    'unicorn/no-array-sort': 'error',
    'typescript/no-floating-promises': 'error',
    'typescript/switch-exhaustiveness-check': ['error', { considerDefaultExhaustiveForUnions: true }],
    'typescript/no-unsafe-type-assertion': 'off',
    'typescript/consistent-type-imports': 'error',
    'import/no-cycle': ['error', { ignoreTypes: false }],
    'no-console': 'error',
    'no-underscore-dangle': 'off',
    'import/no-unassigned-import': 'off',
    'typescript/consistent-return': 'off',
    'unicorn/consistent-function-scoping': 'off',
    'promise/no-promise-in-callback': 'off',
    'oxc/no-async-endpoint-handlers': 'off',
    'oxc/no-map-spread': 'off',
  },
  ignorePatterns: ['node_modules', 'dist', '/data', '.emulated'],
  overrides: [
    ...Object.entries(mayImport).map(([room, others]) =>
      refuse(
        `src/${room}/**`,
        { group: othersThan(room, ...others), message: oneWay },
        ...(mayKnowEngines.has(room) ? [] : [noEngine]),
      ),
    ),
    refuse('src/cli/**', noEngine),
    refuse(
      'src/facts/duckdb/**',
      { group: othersThan('facts', ...mayImport.facts), message: oneWay },
      { group: ['**/clickhouse/**', '@clickhouse/*'], message: 'The engines do not know each other.' },
    ),
    refuse(
      'src/client/**',
      {
        group: ['../**'],
        message: 'The client runs anywhere: from other rooms it imports types alone.',
        allowTypeImports: true,
      },
      { group: ['node:*'], message: 'The client uses web standards only.' },
    ),
    refuse('console/src/**', {
      group: othersThan('catalog', 'query', 'contract').map((each) => each.replace('**/', '**/src/')),
      message: 'The console runs in a browser: of the rooms it imports catalog, query and contract.',
    }),
    {
      files: ['console/**/*.tsx'],
      plugins: ['react', 'jsx-a11y', 'typescript', 'unicorn', 'import', 'promise', 'oxc'],
      rules: {
        'react/react-in-jsx-scope': 'off',
        'jsx-a11y/prefer-tag-over-role': 'off',
        'jsx-a11y/no-autofocus': 'off',
      },
    },
  ],
})
