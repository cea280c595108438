import '@mantine/core/styles.css'
import '@mantine/dates/styles.css'
import './style.css'
import { MantineProvider } from '@mantine/core'
import { QueryClientProvider } from '@tanstack/react-query'
import { StrictMode } from 'react'
import { createRoot } from 'react-dom/client'
import { queryClient } from './api/query-client.ts'
import { App } from './app.tsx'
import { cssVariables, theme } from './theme.ts'

// The browser's copy of a page may show an account after the person has signed out on another page.
addEventListener('pageshow', ({ persisted }) => {
  if (persisted) location.reload()
})

createRoot(document.querySelector('#root')!).render(
  <StrictMode>
    <MantineProvider theme={theme} cssVariablesResolver={cssVariables} defaultColorScheme="auto">
      <QueryClientProvider client={queryClient}>
        <App />
      </QueryClientProvider>
    </MantineProvider>
  </StrictMode>,
)
