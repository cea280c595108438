import { post, type Step } from '../step.ts'

const ask = post('synchronous', {
  start: '2026-11-11',
  end: '2026-11-14',
  dimensions: ['Country'],
  metrics: ['Auctions'],
})
const bySite = { dimensions: ['Site'] }
const where = (field: string, operator: string, operand: string | readonly string[]) => ({
  filters: [{ field, operator, ...(typeof operand === 'string' ? { value: operand } : { values: operand }) }],
})
const filter = (field: string, operator: string, operand: string | readonly string[]) =>
  where(field, operator, operand).filters[0]!

/** Filters that are right. */
export const filters: readonly Step[] = [
  ask('= finds a value', where('Country', '=', 'US')),
  ask('= is case-sensitive', where('Country', '=', 'us')),
  ask('= finds nothing', where('Country', '=', 'Atlantis')),
  ask('= with empty text finds what is missing', where('Country', '=', '')),
  ask('= with Unicode', where('Country', '=', 'ü')),
  ask('= does not take wildcards', where('Country', '=', '%')),
  ask('= on a dimension that is not selected', where('OS', '=', 'iOS')),
  ask('= on a day', where('Day', '=', '2026-11-12')),
  ask('= on a day, with other text', where('Day', '=', 'yesterday')),
  ask('= on a day in another form', where('Day', '=', '2026-11-2')),
  ask('= on an empty day', where('Day', '=', '')),
  ...[
    'a,b',
    '"quoted"',
    "it's",
    'back\\slash',
    '50%',
    'under_score',
    'line\nbreak',
    'tab	here',
    '😀',
    '=1+1',
    '); DROP TABLE auctions_facts --',
    'two  spaces',
    ' plain',
    '$1',
    'a\0b',
    '􏿿',
  ].map((value) => ask(`= ${JSON.stringify(value)}`, { ...bySite, ...where('Site', '=', value) })),
  ask('the name of a field in any case', where(' cOUNTRY ', '=', 'US')),
  ask('= with spaces', where('Country', ' = ', 'US')),

  ask('like with %', { ...bySite, ...where('Site', 'like', '%a%') }),
  ask('like with _', { ...bySite, ...where('Site', 'like', '__') }),
  ask('like with an escaped %', { ...bySite, ...where('Site', 'like', '50\\%') }),
  ask('like with an escaped _', { ...bySite, ...where('Site', 'like', 'under\\_score') }),
  ask('like with _ for any character', { ...bySite, ...where('Site', 'like', 'under_score') }),
  ask('like with an escaped backslash', { ...bySite, ...where('Site', 'like', 'back\\\\slash') }),
  ask('like with an escaped letter', { ...bySite, ...where('Site', 'like', 'pl\\ain') }),
  ask('like is case-sensitive', { ...bySite, ...where('Site', 'like', 'PL%') }),
  ask('like without a wildcard', { ...bySite, ...where('Site', 'like', 'plain') }),
  ask('like with % only', { ...bySite, ...where('Site', 'like', '%') }),
  ask('like with at least one character', { ...bySite, ...where('Site', 'like', '_%') }),
  ask('like with empty text', { ...bySite, ...where('Site', 'like', '') }),
  ask('like over a line break', { ...bySite, ...where('Site', 'like', 'line%break') }),
  ask('like with an emoji for one character', { ...bySite, ...where('Site', 'like', '_') }),
  ask('like on days', where('Day', 'like', '2026-11-1_')),
  ask('LIKE in capitals', { ...bySite, ...where('Site', 'LIKE', 'plain') }),

  ask('in finds several', where('Country', 'in', ['US', 'DE'])),
  ask('in finds one', where('Country', 'in', ['us'])),
  ask('in with the same value twice', where('Country', 'in', ['US', 'US'])),
  ask('in finds what is missing', where('Country', 'in', ['', 'FR'])),
  ask('in finds nothing', where('Country', 'in', ['Atlantis'])),
  ask('in with days', where('Day', 'in', ['2026-11-11', '2026-11-14', 'never'])),
  ask('in with days that match nothing', where('Day', 'in', ['never', ''])),
  ask('IN in capitals', where('Country', 'IN', ['US'])),
  ask(
    'in with 1,000 values',
    where(
      'Creative ID',
      'in',
      Array.from({ length: 1_000 }, (_, index) =>
        `creative-${index + 2}`.replace(/-(\d+)$/, (_all, digits: string) => `-${digits.padStart(4, '0')}`),
      ),
    ),
  ),
  ask('a value of 1,000 characters', where('Country', '=', 'x'.repeat(1_000))),
  ask('not in', where('Country', 'not in', ['US', 'DE'])),
  ask('not in keeps what is missing', where('Country', 'not in', ['US', 'DE', 'us', 'FR', 'ü', 'ZZ'])),
  ask('not in with empty text', where('Country', 'not in', [''])),
  ask('not in with days', { dimensions: ['Day'], ...where('Day', 'not in', ['2026-11-12']) }),
  ask('not in with days that match nothing', { dimensions: ['Day'], ...where('Day', 'not in', ['never', '']) }),
  ask('not in that leaves nothing', where('Country', 'not in', ['US', 'DE', 'us', '', 'FR', 'ü', 'ZZ'])),
  ask('NOT   IN with spaces and capitals', where('Country', ' NOT   IN ', ['US'])),

  ask('two filters on different fields', {
    filters: [filter('Country', 'in', ['US', 'DE']), filter('OS', '=', 'iOS')],
  }),
  ask('two filters on one field', {
    filters: [filter('Country', 'in', ['US', 'DE']), filter('Country', 'not in', ['DE'])],
  }),
  ask('five filters', {
    filters: [
      filter('Country', 'not in', ['ZZ']),
      filter('OS', '=', ''),
      filter('Day', 'in', ['2026-11-11', '2026-11-12', '2026-11-13']),
      filter('Site', 'like', '%'),
      filter('Creative ID', 'like', 'creative-000_'),
    ],
  }),
  ask('a filter without dimensions', { dimensions: [], ...where('Country', '=', 'US') }),
  ask('a filter without dimensions that finds nothing', { dimensions: [], ...where('Country', '=', 'Atlantis') }),
  post(
    'synchronous',
    { start: '2026-11-11', end: '2026-11-14', dimensions: ['OS'], metrics: ['Req DAU', 'Uniques', 'Fills'] },
    { cube: 'platform-performance' },
  )('daily uniques with a filter', where('Country', '=', 'US')),
]
