import { Group, Table } from '@mantine/core'
import type { Cube, Dimension } from '../../../src/catalog/cube.ts'
import { Section } from '../parts/section.tsx'
import { WideTable } from '../parts/wide-table.tsx'
import { explorerAddress } from '../query/addresses.ts'
import { DimensionValues } from './dimension-values.tsx'
import { FieldName } from './field-name.tsx'

type Props = { readonly cube: Cube; readonly dimensions: readonly Dimension[] }

export function DimensionTable({ cube, dimensions }: Props) {
  return (
    <Section title={`Dimensions (${dimensions.length})`}>
      <WideTable label="Dimensions" minWidth={300}>
        <Table.Thead>
          <Table.Tr>
            <Table.Th scope="col">Name and type</Table.Th>
            <Table.Th scope="col">Description and values</Table.Th>
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {dimensions.map(({ name, type, description }) => (
            <Table.Tr key={name}>
              <FieldName
                name={name}
                type={type === 'date' ? 'Date' : 'Text'}
                address={explorerAddress({ cube, dimensions: [name] })}
              />
              <Table.Td>
                <Group justify="space-between" gap="xs">
                  <div>{description}</div>
                  <DimensionValues cube={cube} dimension={name} />
                </Group>
              </Table.Td>
            </Table.Tr>
          ))}
        </Table.Tbody>
      </WideTable>
    </Section>
  )
}
