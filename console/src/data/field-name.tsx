import { Anchor, Code, Table, Text } from '@mantine/core'
import { Link } from 'wouter'
import classes from './fields.module.css'

type Props = {
  readonly name: string
  readonly type: string
  /** Address of the explorer with this field; undefined if the field cannot be queried. */
  readonly address?: string
}

/** The first cell of a field's row. */
export function FieldName({ name, type, address }: Props) {
  return (
    <Table.Th scope="row" w={{ base: 130, sm: 220 }}>
      {address === undefined ? (
        <Code className={classes['code']}>{name}</Code>
      ) : (
        <Anchor component={Link} href={address} size="sm" title="Open in the explorer">
          {name}
        </Anchor>
      )}
      <Text size="xs" c="dimmed">
        {type}
      </Text>
    </Table.Th>
  )
}
