import {
  Alert,
  Badge,
  createTheme,
  Menu,
  Modal,
  MultiSelect,
  Select,
  Table,
  Tooltip,
  virtualColor,
  type CSSVariablesResolver,
} from '@mantine/core'

/** The list itself scrolls, because the keyboard cannot reach a scroll area inside it. */
const scrollingOptions = {
  defaultProps: { withScrollArea: false },
  styles: { options: { maxHeight: 280, overflowY: 'auto' } },
} as const

export const theme = createTheme({
  // Only virtual colors get text that fits both modes: white on a dark shade, black on a light one.
  colors: {
    accent: virtualColor({ name: 'accent', light: 'cyan', dark: 'cyan' }),
    danger: virtualColor({ name: 'danger', light: 'red', dark: 'red' }),
  },
  primaryColor: 'accent',
  // Dark enough for white text, and light enough on a dark page.
  primaryShade: { light: 9, dark: 4 },
  autoContrast: true,
  luminanceThreshold: 0.35,
  defaultRadius: 'sm',
  respectReducedMotion: true,
  fontFamily: 'ui-sans-serif, system-ui, -apple-system, "Segoe UI", Roboto, "Noto Sans", sans-serif',
  fontFamilyMonospace: 'ui-monospace, SFMono-Regular, Menlo, Consolas, monospace',
  headings: { fontWeight: '650' },
  components: {
    // The color of its text, because no other one is dark enough on yellow.
    Alert: Alert.extend({ styles: { title: { color: 'var(--mantine-color-bright)' } } }),
    Badge: Badge.extend({ defaultProps: { variant: 'dot', tt: 'none', fw: 500, miw: 'max-content' } }),
    Select: Select.extend(scrollingOptions),
    MultiSelect: MultiSelect.extend(scrollingOptions),
    Table: Table.extend({ defaultProps: { verticalSpacing: 6, horizontalSpacing: 'sm' } }),
    Tooltip: Tooltip.extend({ defaultProps: { openDelay: 200, withArrow: true, multiline: true, maw: 320 } }),
    // A menu may contain only its items.
    Menu: Menu.extend({ defaultProps: { withInitialFocusPlaceholder: false } }),
    Modal: Modal.extend({
      defaultProps: { closeButtonProps: { 'aria-label': 'Close' } },
      styles: { title: { fontWeight: 600 } },
    }),
  },
})

/** Replaces text colors of Mantine that have too little contrast. */
export const cssVariables: CSSVariablesResolver = () => ({
  variables: {},
  light: {
    '--mantine-color-dimmed': 'var(--mantine-color-gray-7)',
    '--mantine-color-error': 'var(--mantine-color-red-9)',
  },
  dark: {
    '--mantine-color-dimmed': 'var(--mantine-color-dark-1)',
    '--mantine-color-error': 'var(--mantine-color-red-4)',
  },
})
