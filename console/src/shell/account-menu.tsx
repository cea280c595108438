import { Button, Menu, Text } from '@mantine/core'
import { CheckIcon, ChevronDownIcon } from '@radix-ui/react-icons'
import { useLocation } from 'wouter'
import { useSession } from '../access/session.tsx'
import { addressOf } from '../api/account.ts'
import classes from './account-menu.module.css'

/** The name of the account; a menu of all accounts if the person has several. Its items are links to other pages. */
export function AccountMenu() {
  const { account, accounts } = useSession()
  const [path] = useLocation()
  if (accounts.length === 1) {
    return (
      <Text size="sm" c="dimmed" truncate ml="xs">
        {account.name}
      </Text>
    )
  }
  return (
    <Menu position="bottom-start" width={280}>
      <Menu.Target>
        <Button
          variant="subtle"
          color="gray"
          size="compact-sm"
          miw={0}
          aria-label={`Account: ${account.name}`}
          rightSection={<ChevronDownIcon aria-hidden />}
        >
          <Text span inherit truncate>
            {account.name}
          </Text>
        </Button>
      </Menu.Target>
      <Menu.Dropdown className={classes['list']} aria-label="Accounts">
        {accounts.map(({ id, name }) => (
          <Menu.Item
            key={id}
            component="a"
            href={addressOf(id) + path}
            aria-current={id === account.id ? 'true' : undefined}
            leftSection={id === account.id ? <CheckIcon aria-hidden /> : <span className={classes['space']} />}
          >
            {name}
          </Menu.Item>
        ))}
      </Menu.Dropdown>
    </Menu>
  )
}
