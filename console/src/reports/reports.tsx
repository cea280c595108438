import { Route, Switch } from 'wouter'
import { Empty } from '../parts/empty.tsx'
import { JobList } from './job-list.tsx'
import { NewReport } from './new-report.tsx'

export default function Reports() {
  return (
    <Switch>
      <Route path="/reports" component={JobList} />
      <Route path="/reports/new" component={NewReport} />
      <Route>
        <Empty title="Page not found">Choose one from the menu.</Empty>
      </Route>
    </Switch>
  )
}
