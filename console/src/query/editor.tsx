import { Alert, Stack } from '@mantine/core'
import { useState, type ReactNode } from 'react'
import type { QueryBounds } from '../../../src/catalog/limits.ts'
import { useToday } from '../parts/use-today.ts'
import { fitCube, withDimensions, withMetrics } from './change-draft.ts'
import { checkDraft, faultAt } from './check-draft.ts'
import { CubeInput } from './cube-input.tsx'
import { DatesInput } from './dates-input.tsx'
import { addressCharactersMax, writeDraft, type QueryDraft } from './draft.ts'
import { FieldsInput } from './fields-input.tsx'
import { FiltersInput } from './filters-input.tsx'
import { LimitInput } from './limit-input.tsx'
import { SortInput } from './sort-input.tsx'

type Props = {
  readonly draft: QueryDraft
  readonly onChange: (draft: QueryDraft) => void
  readonly bounds: QueryBounds
  /** More controls about the days. */
  readonly belowDays?: ReactNode
}

/** Edits a query and shows each fault at its control. The draft may exceed the bounds; the page decides what to do then. */
export function QueryEditor({ draft, onChange, bounds, belowDays }: Props) {
  const [isTooLong, setTooLong] = useState(false)
  const today = useToday()
  const faults = checkDraft(draft, bounds, today)
  /** The draft is kept in the address, which has a maximum length. */
  const change = (next: QueryDraft): void => {
    const fits = writeDraft(next).length <= addressCharactersMax
    setTooLong(!fits)
    if (fits) onChange(next)
  }
  return (
    <Stack gap="sm">
      <CubeInput value={draft.cube} onChange={(cube) => change(fitCube(draft, cube))} />
      <DatesInput
        value={draft.dates}
        onChange={(dates) => change({ ...draft, dates })}
        bounds={bounds}
        today={today}
        error={faultAt(faults, 'start', 'end')}
      />
      {belowDays}
      <FieldsInput
        label="Dimensions"
        fields={draft.cube.dimensions}
        value={draft.dimensions}
        onChange={(names) => change(withDimensions(draft, names))}
        max={bounds.dimensionsMax}
        error={faultAt(faults, 'dimensions')}
      />
      <FieldsInput
        label="Metrics"
        fields={draft.cube.metrics}
        value={draft.metrics}
        onChange={(names) => change(withMetrics(draft, names))}
        max={bounds.metricsMax}
        error={faultAt(faults, 'metrics')}
      />
      <FiltersInput
        key={draft.cube.alias}
        cube={draft.cube}
        value={draft.filters}
        onChange={(filters) => change({ ...draft, filters })}
        faults={faults}
      />
      {isTooLong && (
        <Alert color="yellow" variant="light" role="alert">
          The last change was not applied, because the query would be too long for the address of this page. Use fewer
          or shorter filter values, or a pattern.
        </Alert>
      )}
      <SortInput draft={draft} onChange={(sort) => change({ ...draft, sort })} error={faultAt(faults, 'sort')} />
      <LimitInput
        value={draft.limit}
        onChange={(limit) => change({ ...draft, limit })}
        bounds={bounds}
        error={faultAt(faults, 'limit')}
      />
    </Stack>
  )
}
