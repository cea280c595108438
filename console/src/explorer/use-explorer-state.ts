import { useLocation } from 'wouter'
// wouter's own useSearch decodes the search first, which breaks values that contain a %.
import { useSearch } from 'wouter/use-browser-location'
import { useSession } from '../access/session.tsx'
import { defaultDraft, firstCubeOf } from '../query/default-draft.ts'
import { readState, writeState, type ExplorerState } from './explorer-state.ts'

/** The state of the page, which is kept in its address. */
export function useExplorerState() {
  const search = useSearch()
  const [, navigate] = useLocation()
  const { account } = useSession()
  const state = readState(search, defaultDraft(firstCubeOf(account)))
  return {
    state,
    /** Changes the query. Only another cube makes an entry in the browser's history. */
    change: (next: ExplorerState): void =>
      navigate(`/explorer?${writeState(next)}`, { replace: next.draft.cube === state.draft.cube }),
    /** Opens another query, such as a saved view. */
    open: (other: string): void => navigate(`/explorer?${other}`),
  }
}
