import { Table } from '@mantine/core'
import type { Measure } from '../../../src/catalog/cube.ts'
import { Section } from '../parts/section.tsx'
import { WideTable } from '../parts/wide-table.tsx'
import { FieldName } from './field-name.tsx'

type Named = Omit<Measure, 'column'> & { readonly name: string }

/** Lists the measures in the formulas, which are columns of loaded files. */
export function MeasureTable({ measures }: { readonly measures: readonly Named[] }) {
  return (
    <Section title={`Columns that formulas add up (${measures.length})`}>
      <WideTable label="Columns that formulas add up" minWidth={300}>
        <Table.Thead>
          <Table.Tr>
            <Table.Th scope="col">Name and type</Table.Th>
            <Table.Th scope="col">Description</Table.Th>
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {measures.map(({ name, type, description }) => (
            <Table.Tr key={name}>
              <FieldName name={name} type={type === 'count' ? 'Count' : 'Money'} />
              <Table.Td>{description}</Table.Td>
            </Table.Tr>
          ))}
        </Table.Tbody>
      </WideTable>
    </Section>
  )
}
