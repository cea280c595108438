import { Badge } from '@mantine/core'
import type { Load } from '../api/calls.ts'
import { formatCount, none } from '../parts/format.ts'

/** Shows the number of warnings of a load. It is known only for loads with facts of this account alone. */
export function WarningCount({ load: { warnings } }: { readonly load: Load }) {
  if (warnings === null) return none
  if (warnings.count === 0) return 'None'
  return <Badge color="yellow">{warnings.count === 1 ? '1 warning' : `${formatCount(warnings.count)} warnings`}</Badge>
}
