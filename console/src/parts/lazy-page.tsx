import { useEffect, useState, type ComponentType } from 'react'
import { Waiting } from './waiting.tsx'

const cannotFetch =
  'The page itself could not be fetched. Adcube may be down, or a newer version of it may have been installed.'

type Outcome = { readonly Page: ComponentType } | { readonly error: Error }

/**
 * A page whose code is loaded when it is first shown. Not React's `lazy`, because Suspense shows nothing new for 300 ms
 * after its fallback, and the code is there after a few.
 */
export function lazyPage(load: () => Promise<{ readonly default: ComponentType }>): ComponentType {
  let loaded: Outcome | undefined
  return function LazyPage() {
    const [outcome, setOutcome] = useState(loaded)
    useEffect(() => {
      if (loaded) return
      void load()
        .then(({ default: Page }) => (loaded = { Page }))
        .catch((cause: unknown) => ({ error: new Error(cannotFetch, { cause }) }))
        .then(setOutcome)
    }, [])
    if (!outcome) return <Waiting what="Opening the page" height={320} />
    // The error boundary around the pages shows it.
    if ('error' in outcome) throw outcome.error
    return <outcome.Page />
  }
}
