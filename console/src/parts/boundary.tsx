import { Component, type ReactNode } from 'react'
import { Failed } from './failed.tsx'

type Props = { readonly children: ReactNode }

/** Keeps the menu where a page breaks, as it does when its file is gone because a newer version was installed. */
export class Boundary extends Component<Props, { readonly error: unknown }> {
  override state = { error: undefined }

  static getDerivedStateFromError(error: unknown) {
    return { error }
  }

  override render(): ReactNode {
    const { error } = this.state
    return error === undefined ? this.props.children : <Failed error={error} onRetry={() => location.reload()} />
  }
}
