// Before anything is painted, so that a dark page does not flash white. A file of its own, because the page allows no scripts within it.
const chosen = localStorage.getItem('mantine-color-scheme-value')
const isDark = chosen === 'dark' || (chosen !== 'light' && matchMedia('(prefers-color-scheme: dark)').matches)
document.documentElement.dataset.mantineColorScheme = isDark ? 'dark' : 'light'
