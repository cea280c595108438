import { Page } from '../parts/page.tsx'

export default function Explorer() {
  return <Page title="Explorer">{null}</Page>
}
