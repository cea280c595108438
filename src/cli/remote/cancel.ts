import type { Command } from '@commander-js/extra-typings'
import { json } from '../options.ts'
import { note, print } from '../output.ts'
import { openClient } from './open-client.ts'
import { baseUrl } from './options.ts'

export const define = (command: Command) =>
  command
    .argument('<job>', 'Id of the job, as `adcube jobs` shows it')
    .addOption(baseUrl)
    .addOption(json)
    .action(async (id, flags) => {
      const { adcube, signal } = await openClient(flags)
      await adcube.cancel(id, { signal })
      print(flags, { job_id: id }, `${id}\n`)
      note(flags, 'Cancelled, or deleted if it was finished.')
    })
