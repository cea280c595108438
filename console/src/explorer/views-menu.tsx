import { Button, Menu } from '@mantine/core'
import { BookmarkIcon, CheckIcon } from '@radix-ui/react-icons'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { calls } from '../api/calls.ts'
import { explain } from '../parts/explain.ts'
import { ManageViews } from './manage-views.tsx'
import { SaveView } from './save-view.tsx'
import { viewsKey } from './views-key.ts'

type Props = {
  /** The query that is shown now. */
  readonly search: string
  readonly onOpen: (search: string) => void
}

/** The person's saved views. */
export function ViewsMenu({ search, onOpen }: Props) {
  const [dialog, setDialog] = useState<'save' | 'manage'>()
  const { data, error } = useQuery({ queryKey: viewsKey, queryFn: calls.views })
  const views = data?.data ?? []
  const close = (): void => setDialog(undefined)
  return (
    <>
      <Menu position="bottom-end" width={260}>
        <Menu.Target>
          <Button size="xs" variant="default" leftSection={<BookmarkIcon aria-hidden />}>
            Saved views
          </Button>
        </Menu.Target>
        <Menu.Dropdown mah={420} style={{ overflowY: 'auto' }}>
          {views.map((view) => (
            <Menu.Item
              key={view.id}
              rightSection={view.search === search && <CheckIcon aria-label="shown" />}
              onClick={() => onOpen(view.search)}
              style={{ overflowWrap: 'anywhere' }}
            >
              {view.name}
            </Menu.Item>
          ))}
          {views.length === 0 && (
            <Menu.Label>{error ? explain(error) : 'Views that you save are listed here.'}</Menu.Label>
          )}
          <Menu.Divider />
          <Menu.Item onClick={() => setDialog('save')}>Save this view</Menu.Item>
          {views.length > 0 && <Menu.Item onClick={() => setDialog('manage')}>Rename or delete views</Menu.Item>}
        </Menu.Dropdown>
      </Menu>
      {dialog === 'save' && <SaveView views={views} search={search} onClose={close} />}
      {dialog === 'manage' && <ManageViews views={views} onClose={close} />}
    </>
  )
}
