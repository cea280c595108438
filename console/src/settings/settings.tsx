import { Redirect, Route, Switch } from 'wouter'
import { Empty } from '../parts/empty.tsx'
import { LinkTabs } from '../parts/link-tabs.tsx'
import { Page } from '../parts/page.tsx'
import { Audit } from './audit.tsx'
import { Keys } from './keys.tsx'
import { People } from './people.tsx'
import { Usage } from './usage.tsx'

const tabs = [
  { path: '/settings/keys', label: 'API keys' },
  { path: '/settings/people', label: 'People' },
  { path: '/settings/audit', label: 'Audit trail' },
  { path: '/settings/usage', label: 'Usage' },
]

export default function Settings() {
  return (
    <Page title="Settings">
      <LinkTabs label="Settings" tabs={tabs} />
      <Switch>
        <Route path="/settings">
          <Redirect to="/settings/keys" replace />
        </Route>
        <Route path="/settings/keys" component={Keys} />
        <Route path="/settings/people" component={People} />
        <Route path="/settings/audit" component={Audit} />
        <Route path="/settings/usage" component={Usage} />
        <Route>
          <Empty title="Page not found">Choose one of the tabs.</Empty>
        </Route>
      </Switch>
    </Page>
  )
}
