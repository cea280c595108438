import { Component, type ReactNode } from 'react'
import { Failed } from './failed.tsx'

type Props = { readonly children: ReactNode }

/** Keeps the menu if a page fails, for example because its file is gone after an upgrade. */
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
