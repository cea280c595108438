import { Link, useLocation } from 'wouter'

type Props = {
  /** Label of the group of tabs. */
  readonly label: string
  readonly tabs: readonly { readonly path: string; readonly label: string }[]
}

/** Shows tabs as links, so that each has an address. */
export function LinkTabs({ label, tabs }: Props) {
  const [location] = useLocation()
  return (
    <nav className="tabs" aria-label={label}>
      {tabs.map((tab) => (
        <Link key={tab.path} href={tab.path} aria-current={tab.path.split('?')[0] === location ? 'page' : undefined}>
          {tab.label}
        </Link>
      ))}
    </nav>
  )
}
