import { Redirect, useParams } from 'wouter'
import { CubeSwitch } from '../parts/cube-switch.tsx'
import { Empty } from '../parts/empty.tsx'
import { LinkTabs } from '../parts/link-tabs.tsx'
import { Page } from '../parts/page.tsx'
import { useCube } from '../query/use-cube.ts'
import { Days } from './days.tsx'
import { Fields } from './fields.tsx'
import { Loads } from './loads.tsx'

const sections = [
  { name: 'days', label: 'Days', Section: Days },
  { name: 'loads', label: 'Loads', Section: Loads },
  { name: 'fields', label: 'Fields', Section: Fields },
]

/** Shows loaded days, loads, and the fields of a cube. */
export default function Data() {
  const { section } = useParams<{ section?: string }>()
  const { cube } = useCube()
  if (section === undefined) return <Redirect to="/data/days" replace />
  const shown = sections.find(({ name }) => name === section)
  const tabs = sections.map(({ name, label }) => ({ path: `/data/${name}?cube=${cube.alias}`, label }))
  return (
    <Page title="Data" actions={<CubeSwitch />}>
      <LinkTabs label="Data" tabs={tabs} />
      {/* Open elements and the search belong to one cube. */}
      {shown ? (
        <shown.Section key={cube.alias} cube={cube} />
      ) : (
        <Empty title="Page not found">Choose one of the tabs.</Empty>
      )}
    </Page>
  )
}
