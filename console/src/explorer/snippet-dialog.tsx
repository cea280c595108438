import { Anchor, Code, Group, SegmentedControl, Stack, Text } from '@mantine/core'
import { useState } from 'react'
import { Link } from 'wouter'
import { synchronousLimits } from '../../../src/catalog/limits.ts'
import { parseQuery } from '../../../src/query/parse.ts'
import { CopyButton } from '../parts/copy-button.tsx'
import { Dialog } from '../parts/dialog.tsx'
import { useToday } from '../parts/use-today.ts'
import type { Question } from './explore.ts'
import { languages, snippet, type Language } from './snippets.ts'

type Props = { readonly question: Pick<Question, 'cube' | 'body'>; readonly onClose: () => void }

/** The query as code that asks the API. */
export function SnippetDialog({ question: { cube, body }, onClose }: Props) {
  const [language, setLanguage] = useState<Language>('curl')
  const today = useToday()
  const text = snippet(language, { origin: location.origin, cube: cube.alias, body })
  const parsed = parseQuery(body, { cube, limits: synchronousLimits, today })
  return (
    <Dialog onClose={onClose} title="This query through the API" size="lg">
      <Stack gap="sm">
        <Group justify="space-between">
          <SegmentedControl
            size="xs"
            aria-label="Language"
            data={[...languages]}
            value={language}
            onChange={(chosen) => setLanguage(languages.find((each) => each === chosen) ?? 'curl')}
          />
          <CopyButton value={text} />
        </Group>
        <Code block mah={420} style={{ overflow: 'auto' }} tabIndex={0} role="region" aria-label="Program">
          {text}
        </Code>
        <Text size="sm">
          The environment variable <Code>ADCUBE_API_KEY</Code> has to hold one of your account’s{' '}
          <Anchor component={Link} href="/settings/keys">
            API keys
          </Anchor>
          . Requests through the API count against its{' '}
          <Anchor component={Link} href="/settings/usage">
            rate limits
          </Anchor>
          .
        </Text>
        {'faults' in parsed && (
          <Text size="sm" className="alarm">
            {`The API refuses this query: ${parsed.faults.map(({ detail }) => detail).join(' ')}`}
          </Text>
        )}
      </Stack>
    </Dialog>
  )
}
