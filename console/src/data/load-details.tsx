import { Stack, Text } from '@mantine/core'
import type { Load } from '../api/calls.ts'
import { formatBytes, formatCount } from '../parts/format.ts'

type Warning = NonNullable<Load['warnings']>['first'][number]

/** Shows the files of a load, and its first warnings. */
export function LoadDetails({ load: { files, file_count, warnings } }: { readonly load: Load }) {
  const notShown = (file_count ?? 0) - (files?.length ?? 0)
  return (
    <Stack gap="sm" py="xs">
      {files !== null && files.length > 0 && (
        <div>
          <Text size="sm" fw={600}>
            Files
          </Text>
          <Text size="sm">
            {files.map(({ name, bytes }) => `${name} (${formatBytes(bytes)})`).join(', ')}
            {notShown > 0 && `, and ${formatCount(notShown)} more`}
          </Text>
        </div>
      )}
      {warnings !== null && warnings.count > 0 && (
        <div>
          <Text size="sm" fw={600}>
            {warnings.count > warnings.first.length
              ? `The first ${warnings.first.length} of ${formatCount(warnings.count)} warnings`
              : 'Warnings'}
          </Text>
          {warnings.first.map(describeWarning).map((text) => (
            <Text key={text} size="sm">
              {text}
            </Text>
          ))}
        </div>
      )}
    </Stack>
  )
}

/** "facts.csv, row 60, clicks: 95 is more than cleared, 90" */
const describeWarning = ({ file, row, column, reason }: Warning): string =>
  `${[file, row === null ? null : `row ${formatCount(row)}`, column].filter((part) => part !== null).join(', ')}: ${reason}`
