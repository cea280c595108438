import { Modal, type ModalProps } from '@mantine/core'
import { useEffect, type ReactNode } from 'react'

type Props = Pick<ModalProps, 'closeOnEscape' | 'closeOnClickOutside' | 'size'> & {
  readonly title: string
  readonly onClose: () => void
  readonly children: ReactNode
}

/** A dialog that is open as long as it is rendered, so that its state is gone with it. */
export function Dialog({ title, onClose, children, ...options }: Props) {
  // Mantine returns the focus only for a dialog that stays rendered.
  useEffect(() => {
    const opener = document.activeElement
    return () => {
      const target = opener?.isConnected ? opener : document.querySelector('#content')
      if (target instanceof HTMLElement) target.focus({ preventScroll: true })
    }
  }, [])
  return (
    <Modal opened onClose={onClose} title={title} centered {...options}>
      {children}
    </Modal>
  )
}
