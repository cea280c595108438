import { Radio, Stack } from '@mantine/core'
import { roleNames, roles, type Role } from './roles.ts'

type Props = { readonly value: Role; readonly onChange: (role: Role) => void }

export function RoleChoice({ value, onChange }: Props) {
  return (
    <Radio.Group label="Role" value={value} onChange={onChange}>
      <Stack gap="xs" mt="xs">
        {roles.map(({ role, may }) => (
          <Radio key={role} value={role} label={roleNames[role]} description={may} />
        ))}
      </Stack>
    </Radio.Group>
  )
}
