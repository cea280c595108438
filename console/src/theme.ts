import { createTheme, Modal, Table, Tooltip } from '@mantine/core'

export const theme = createTheme({
  primaryColor: 'cyan',
  // Dark enough for white text on it, and light enough on a dark page.
  primaryShade: { light: 9, dark: 4 },
  autoContrast: true,
  luminanceThreshold: 0.35,
  defaultRadius: 'sm',
  fontFamily: 'ui-sans-serif, system-ui, -apple-system, "Segoe UI", Roboto, "Noto Sans", sans-serif',
  fontFamilyMonospace: 'ui-monospace, SFMono-Regular, Menlo, Consolas, monospace',
  headings: { fontWeight: '650' },
  components: {
    Table: Table.extend({ defaultProps: { verticalSpacing: 6, horizontalSpacing: 'sm' } }),
    Tooltip: Tooltip.extend({ defaultProps: { openDelay: 200, withArrow: true, multiline: true, maw: 320 } }),
    Modal: Modal.extend({ defaultProps: { closeButtonProps: { 'aria-label': 'Close' } } }),
  },
})
