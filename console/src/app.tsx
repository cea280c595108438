import { Route, Router, Switch } from 'wouter'
import { Invitation } from './access/invitation.tsx'
import { RequireSession } from './access/session.tsx'
import { addressOfPage } from './api/account.ts'
import { Boundary } from './parts/boundary.tsx'
import { Empty } from './parts/empty.tsx'
import { lazyPage } from './parts/lazy-page.tsx'
import { Shell } from './shell/shell.tsx'

const Overview = lazyPage(() => import('./overview/overview.tsx'))
const Explorer = lazyPage(() => import('./explorer/explorer.tsx'))
const Reports = lazyPage(() => import('./reports/reports.tsx'))
const Data = lazyPage(() => import('./data/data.tsx'))
const Settings = lazyPage(() => import('./settings/settings.tsx'))
const Profile = lazyPage(() => import('./access/profile.tsx'))

/**
 * The addresses of the console and their pages. Each page is a folder, whose code is loaded when it is first opened.
 * Pages share `api` (calls and the cache of answers), `query` (a query as a draft, kept in the address, and its editor) and
 * `parts` (dialogs, tables, formats).
 */
export function App() {
  return (
    <Router base={addressOfPage()}>
      <Switch>
        <Route path="/invitation" component={Invitation} />
        <Route>
          <RequireSession>
            <Shell>
              <Boundary>
                <Switch>
                  <Route path="/" component={Overview} />
                  <Route path="/explorer" component={Explorer} />
                  <Route path="/reports/:section?" component={Reports} />
                  <Route path="/data/:section?" component={Data} />
                  <Route path="/settings/:section?" component={Settings} />
                  <Route path="/profile" component={Profile} />
                  <Route>
                    <Empty title="Page not found">Choose one from the menu.</Empty>
                  </Route>
                </Switch>
              </Boundary>
            </Shell>
          </RequireSession>
        </Route>
      </Switch>
    </Router>
  )
}
