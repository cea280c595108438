import { Page } from '../parts/page.tsx'

export default function Data() {
  return <Page title="Data">{null}</Page>
}
