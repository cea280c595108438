import { lazy, Suspense } from 'react'
import { Route, Router, Switch } from 'wouter'
import { Invitation } from './access/invitation.tsx'
import { SessionGate } from './access/session.tsx'
import { Boundary } from './parts/boundary.tsx'
import { Empty } from './parts/empty.tsx'
import { Waiting } from './parts/waiting.tsx'
import { Shell } from './shell/shell.tsx'

const Overview = lazy(() => import('./overview/overview.tsx'))
const Explorer = lazy(() => import('./explorer/explorer.tsx'))
const Reports = lazy(() => import('./reports/reports.tsx'))
const Data = lazy(() => import('./data/data.tsx'))
const Settings = lazy(() => import('./settings/settings.tsx'))
const Profile = lazy(() => import('./access/profile.tsx'))

/** Every address of the console, and the page that it shows. */
export function App() {
  return (
    <Router base="/console">
      <Switch>
        <Route path="/invitation" component={Invitation} />
        <Route>
          <SessionGate>
            <Shell>
              <Boundary>
                <Suspense fallback={<Waiting what="Opening the page" height={320} />}>
                  <Switch>
                    <Route path="/" component={Overview} />
                    <Route path="/explorer" component={Explorer} />
                    <Route path="/reports" component={Reports} />
                    <Route path="/data/:section?" component={Data} />
                    <Route path="/settings/:section?" component={Settings} />
                    <Route path="/profile" component={Profile} />
                    <Route>
                      <Empty title="There is no such page">Choose one from the menu.</Empty>
                    </Route>
                  </Switch>
                </Suspense>
              </Boundary>
            </Shell>
          </SessionGate>
        </Route>
      </Switch>
    </Router>
  )
}
