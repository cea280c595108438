import { Badge } from '@mantine/core'
import type { Load } from '../api/calls.ts'
import { formatCount, none } from '../parts/format.ts'

/** How many warnings a load had. They are known only of loads that hold this account's facts alone. */
export function WarningCount({ load: { warnings } }: { readonly load: Load }) {
  if (warnings === null) return none
  if (warnings.count === 0) return 'None'
  return <Badge color="yellow">{warnings.count === 1 ? '1 warning' : `${formatCount(warnings.count)} warnings`}</Badge>
}
