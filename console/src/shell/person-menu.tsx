import { ActionIcon, Menu, Text } from '@mantine/core'
import { PersonIcon } from '@radix-ui/react-icons'
import { useMutation } from '@tanstack/react-query'
import { Link, useLocation } from 'wouter'
import { addressOf, addressOfPage } from '../api/account.ts'
import { calls } from '../api/calls.ts'
import { changeSession } from '../api/query-client.ts'
import { useSession } from '../access/session.tsx'

export function PersonMenu() {
  const { person } = useSession()
  const [, navigate] = useLocation()
  const signOut = useMutation({
    mutationFn: calls.signOut,
    onSuccess: () => {
      changeSession('signed-out')
      // Leave the page, whose address may contain what the next person should not see.
      // An address that names no account is another page.
      if (addressOfPage() === addressOf(undefined)) navigate('/', { replace: true })
      else location.replace(`${addressOf(undefined)}/`)
    },
  })
  return (
    <Menu position="bottom-end" width={240}>
      <Menu.Target>
        <ActionIcon variant="subtle" color="gray" aria-label="You">
          <PersonIcon />
        </ActionIcon>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Label>
          <Text size="sm" truncate c="bright">
            {person.email}
          </Text>
          {person.role === 'administrator' ? 'Administrator' : 'Member'}
        </Menu.Label>
        <Menu.Divider />
        <Menu.Item component={Link} href="/profile">
          Password and sessions
        </Menu.Item>
        <Menu.Item onClick={() => signOut.mutate()}>Sign out</Menu.Item>
      </Menu.Dropdown>
    </Menu>
  )
}
