import { Combobox, Loader, Pill, PillsInput, useCombobox } from '@mantine/core'
import { useDebouncedValue } from '@mantine/hooks'
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { useState, type ClipboardEvent, type KeyboardEvent } from 'react'
import type { Cube } from '../../../src/catalog/cube.ts'
import { commonLimits } from '../../../src/catalog/limits.ts'
import { calls } from '../api/calls.ts'
import { formatCount } from '../parts/format.ts'
import { noValue } from './no-value.ts'

const searchCharactersMax = 100
/** From here on, the number of values is shown. */
const valuesUncounted = 20

type Props = {
  readonly cube: Cube
  readonly dimension: string
  readonly value: readonly string[]
  readonly onChange: (values: readonly string[]) => void
  readonly isSingle: boolean
}

/** Values of a dimension: suggests those that exist, most frequent first, and accepts any other text. */
export function ValuesInput({ cube, dimension, value, onChange, isSingle }: Props) {
  const [search, setSearch] = useState('')
  const [asked] = useDebouncedValue(search.trim().slice(0, searchCharactersMax), 250)
  const { data, isFetching, error } = useQuery({
    queryKey: ['values', cube.alias, dimension, asked],
    queryFn: ({ signal }) => calls.values({ cube: cube.alias, dimension, search: asked }, { signal }),
    placeholderData: keepPreviousData,
  })
  const combobox = useCombobox({ onDropdownClose: () => combobox.resetSelectedOption() })

  const add = (added: readonly string[]): void => {
    onChange(isSingle ? added.slice(0, 1) : [...new Set([...value, ...added])])
    setSearch('')
    if (isSingle) combobox.closeDropdown()
  }
  const remove = (removed: string): void => onChange(value.filter((each) => each !== removed))
  const onKeyDown = (event: KeyboardEvent): void => {
    if (event.key === 'Backspace' && search === '' && value.length > 0) {
      event.preventDefault()
      onChange(value.slice(0, -1))
    }
    if (event.key === 'Enter' && combobox.getSelectedOptionIndex() === -1 && search !== '') {
      // Otherwise Enter submits the form.
      event.preventDefault()
      add([search])
    }
  }
  /** Pasting several lines, such as a column of a spreadsheet, adds each as a value. */
  const onPaste = (event: ClipboardEvent): void => {
    const lines = event.clipboardData.getData('text').split(/[\r\n\t]+/)
    const texts = lines.map((line) => line.trim()).filter((line) => line !== '')
    if (isSingle || texts.length < 2) return
    event.preventDefault()
    add(texts)
  }

  const offered = (data?.data ?? []).map((text) => text ?? '').filter((text) => !value.includes(text))
  return (
    <Combobox
      store={combobox}
      onOptionSubmit={(option) => add([option.slice(1)])}
      position="bottom-start"
      middlewares={{ flip: true, shift: true }}
    >
      <Combobox.DropdownTarget>
        <PillsInput
          size="xs"
          label={isSingle ? 'Value' : 'Values'}
          description={
            value.length > valuesUncounted &&
            `${formatCount(value.length)} of ${formatCount(commonLimits.filterValuesMax)}`
          }
          rightSection={isFetching ? <Loader size={14} aria-label="Looking for values" /> : <Combobox.Chevron />}
          onClick={() => combobox.openDropdown()}
        >
          <Pill.Group mah={160} style={{ overflowY: 'auto' }}>
            {value.map((each) => (
              <Pill
                key={each}
                withRemoveButton
                onRemove={() => remove(each)}
                removeButtonProps={{ 'aria-label': `Remove ${each || noValue}`, tabIndex: 0 }}
              >
                {each || noValue}
              </Pill>
            ))}
            <Combobox.EventsTarget withExpandedAttribute>
              <PillsInput.Field
                value={search}
                role="combobox"
                aria-expanded={combobox.dropdownOpened}
                aria-controls={combobox.listId ?? undefined}
                aria-label={`Search values of ${dimension}`}
                placeholder={value.length === 0 ? 'Search or type' : undefined}
                maxLength={commonLimits.filterValueCharactersMax}
                onChange={(event) => {
                  setSearch(event.currentTarget.value)
                  combobox.openDropdown()
                  combobox.resetSelectedOption()
                }}
                onFocus={() => combobox.openDropdown()}
                onBlur={() => combobox.closeDropdown()}
                onKeyDown={onKeyDown}
                onPaste={onPaste}
              />
            </Combobox.EventsTarget>
          </Pill.Group>
        </PillsInput>
      </Combobox.DropdownTarget>
      <Combobox.Dropdown>
        <Combobox.Options aria-label={`Values of ${dimension}`} mah={240} style={{ overflowY: 'auto' }}>
          {offered.map((text) => (
            <Combobox.Option key={`=${text}`} value={`=${text}`} className={text === '' ? 'quiet' : undefined}>
              {text || noValue}
            </Combobox.Option>
          ))}
          {search !== '' && !offered.includes(search) && (
            <Combobox.Option value={`=${search}`}>{`Use “${search}” as typed`}</Combobox.Option>
          )}
          {offered.length === 0 && search === '' && (
            <Combobox.Empty>{describeNothing(isFetching, error !== null)}</Combobox.Empty>
          )}
        </Combobox.Options>
        {data?.truncated && <Combobox.Footer fz="xs">There are more values. Type to find them.</Combobox.Footer>}
      </Combobox.Dropdown>
    </Combobox>
  )
}

function describeNothing(isFetching: boolean, hasFailed: boolean): string {
  if (isFetching) return 'Looking for values'
  return hasFailed ? 'Values cannot be suggested now. Type one.' : 'No values in the last 14 days'
}
