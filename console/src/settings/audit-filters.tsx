import { Autocomplete, Button, Group, NativeSelect, TextInput } from '@mantine/core'
import { useState } from 'react'
import { actionWords } from './audit-words.ts'
import type { AuditFilter } from './audit-filter.ts'
import { usePeople } from './use-people.ts'

const actionChoices = [
  { value: '', label: 'Anything' },
  ...Object.entries(actionWords).map(([value, label]) => ({ value, label })),
]

type Props = { readonly filter: AuditFilter; readonly onChange: (filter: AuditFilter) => void }

export function AuditFilters({ filter, onChange }: Props) {
  const { actor = '', action = '', from = '', to = '' } = filter
  const change = (changed: Partial<Record<keyof AuditFilter, string>>) => onChange({ ...filter, ...changed })
  return (
    <Group align="flex-start" gap="sm" role="search" aria-label="Audit trail">
      {/* The key resets the input if the address changes otherwise, such as by going back. */}
      <Actor key={actor} actor={actor} onChange={(actor) => change({ actor })} />
      <NativeSelect
        label="What"
        data={actionChoices}
        value={action}
        onChange={(event) => change({ action: event.currentTarget.value })}
      />
      <TextInput
        type="date"
        label="From (UTC)"
        value={from}
        max={to}
        onChange={(event) => change({ from: event.currentTarget.value })}
      />
      <TextInput
        type="date"
        label="To (UTC)"
        value={to}
        min={from}
        error={from !== '' && to !== '' && to < from && 'Before the first day'}
        onChange={(event) => change({ to: event.currentTarget.value })}
      />
      {Object.keys(filter).length > 0 && (
        <Button variant="default" mt={25} onClick={() => onChange({})}>
          Clear the filters
        </Button>
      )}
    </Group>
  )
}

/** The server compares complete addresses, so the filter applies when one is chosen or the input loses the focus. */
function Actor({ actor, onChange }: { readonly actor: string; readonly onChange: (actor: string) => void }) {
  const [text, setText] = useState(actor)
  const people = usePeople()
  const emails = people.data?.pages.flatMap(({ data }) => data.map(({ email }) => email)) ?? []
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault()
        onChange(text)
      }}
    >
      <Autocomplete
        label="Who"
        placeholder="E-mail address, or operator"
        data={[...emails, 'operator']}
        limit={5}
        withScrollArea={false}
        styles={{ option: { overflowWrap: 'anywhere' } }}
        w={260}
        maw="100%"
        value={text}
        onChange={setText}
        onOptionSubmit={onChange}
        onBlur={() => text !== actor && onChange(text)}
      />
    </form>
  )
}
