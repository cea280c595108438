import { AppShell, Burger, Group, NavLink, Text } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { BarChartIcon, DashboardIcon, FileTextIcon, GearIcon, TableIcon } from '@radix-ui/react-icons'
import type { ReactNode } from 'react'
import { Link, useLocation } from 'wouter'
import { AccountMenu } from './account-menu.tsx'
import { ColorSchemeToggle } from './color-scheme-toggle.tsx'
import { PersonMenu } from './person-menu.tsx'

const pages = [
  { path: '/', label: 'Overview', Icon: DashboardIcon },
  { path: '/explorer', label: 'Explorer', Icon: BarChartIcon },
  { path: '/reports', label: 'Reports', Icon: FileTextIcon },
  { path: '/data', label: 'Data', Icon: TableIcon },
  { path: '/settings', label: 'Settings', Icon: GearIcon },
]

/** The frame of every page: the menu, the account, the person. */
export function Shell({ children }: { readonly children: ReactNode }) {
  const [isOpen, { toggle, close }] = useDisclosure()
  const [location] = useLocation()
  const isActive = (path: string): boolean => (path === '/' ? location === '/' : location.startsWith(path))
  return (
    <AppShell
      header={{ height: 48 }}
      navbar={{ width: 176, breakpoint: 'sm', collapsed: { mobile: !isOpen } }}
      padding={{ base: 'sm', sm: 'md' }}
    >
      <AppShell.Header>
        <a className="skip" href="#content">
          Skip to the content
        </a>
        <Group h="100%" px="md" justify="space-between" wrap="nowrap">
          <Group gap="xs" wrap="nowrap" miw={0}>
            <Burger
              opened={isOpen}
              onClick={toggle}
              hiddenFrom="sm"
              size="sm"
              aria-label="Menu"
              aria-expanded={isOpen}
            />
            <img src="/console/icon.svg" width={22} height={22} alt="" />
            <Text className="wordmark" visibleFrom="xs">
              Adcube
            </Text>
            <AccountMenu />
          </Group>
          <Group gap={4} wrap="nowrap">
            <ColorSchemeToggle />
            <PersonMenu />
          </Group>
        </Group>
      </AppShell.Header>
      <AppShell.Navbar p="xs" aria-label="Pages">
        {pages.map(({ path, label, Icon }) => (
          <NavLink
            key={path}
            component={Link}
            href={path}
            label={label}
            leftSection={<Icon aria-hidden />}
            active={isActive(path)}
            aria-current={isActive(path) ? 'page' : undefined}
            onClick={close}
          />
        ))}
      </AppShell.Navbar>
      <AppShell.Main id="content" tabIndex={-1}>
        {children}
      </AppShell.Main>
    </AppShell>
  )
}
