import { Button, Stack, Text } from '@mantine/core'
import { addressOf } from '../api/account.ts'
import { FrontPage } from './front-page.tsx'

/** The page of an address whose account is not one of the person's. */
export function ForeignAccount() {
  return (
    <FrontPage title="No access to this account">
      <Stack>
        <Text>The account does not exist, or you are not one of its people.</Text>
        <Button component="a" href={`${addressOf(undefined)}/`}>
          Open your account
        </Button>
      </Stack>
    </FrontPage>
  )
}
