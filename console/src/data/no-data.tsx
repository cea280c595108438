import { Code, Group, Text } from '@mantine/core'
import type { Cube } from '../../../src/catalog/cube.ts'
import { useIsAdministrator, useSession } from '../access/session.tsx'
import { CopyButton } from '../parts/copy-button.tsx'
import { Empty } from '../parts/empty.tsx'
import { cubeLabel } from '../query/cube-label.ts'

/** Shown if a cube has no facts. */
export function NoData({ cube }: { readonly cube: Cube }) {
  const { account } = useSession()
  const isAdministrator = useIsAdministrator()
  const title = `No ${cubeLabel(cube).toLowerCase()} data is loaded yet`
  if (!isAdministrator) return <Empty title={title}>Ask the operator of Adcube to load some.</Empty>
  const command = `npm run -s adcube -- load ${cube.alias} FILE`
  return (
    <Empty title={title}>
      <Text size="sm">
        The operator of Adcube loads files with this command. Rows of this account have <Code>{account.id}</Code> in the
        column <Code>account</Code>.
      </Text>
      <Group justify="center" gap="xs" mt="sm">
        <Code block>{command}</Code>
        <CopyButton value={command} label="Copy the command" />
      </Group>
    </Empty>
  )
}
