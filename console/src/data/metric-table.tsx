import { Code, Table } from '@mantine/core'
import { describeFormula, type Cube, type Metric, type Unit } from '../../../src/catalog/cube.ts'
import { Section } from '../parts/section.tsx'
import { WideTable } from '../parts/wide-table.tsx'
import { explorerAddress } from '../query/addresses.ts'
import classes from './fields.module.css'
import { FieldName } from './field-name.tsx'

const units: Readonly<Record<Unit, string>> = {
  count: 'Count',
  currency: 'Money',
  fraction: 'Fraction',
  milliseconds: 'Milliseconds',
  devices: 'Devices',
  average: 'Average',
}

type Props = { readonly cube: Cube; readonly metrics: readonly Metric[] }

export function MetricTable({ cube, metrics }: Props) {
  return (
    <Section title={`Metrics (${metrics.length})`}>
      <WideTable label="Metrics" minWidth={300}>
        <Table.Thead>
          <Table.Tr>
            <Table.Th scope="col">Name and unit</Table.Th>
            <Table.Th scope="col">Description and formula</Table.Th>
            <Table.Th scope="col" visibleFrom="md">
              In a query
            </Table.Th>
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {metrics.map(({ name, unit, description, formula }) => (
            <Table.Tr key={name}>
              <FieldName name={name} type={units[unit]} address={explorerAddress({ cube, metrics: [name] })} />
              <Table.Td>
                <div>{description}</div>
                <Code className={classes['code']}>{describeFormula(formula)}</Code>
              </Table.Td>
              <Table.Td visibleFrom="md">
                <Code className={classes['code']}>{`"metrics": ["${name}"]`}</Code>
              </Table.Td>
            </Table.Tr>
          ))}
        </Table.Tbody>
      </WideTable>
    </Section>
  )
}
