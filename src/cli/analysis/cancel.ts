import { print, tell } from '../output.ts'
import { withClient, type ServerFlags } from './with-client.ts'

export const cancelCommand = (flags: ServerFlags, jobId: string): Promise<number> =>
  withClient(flags, async (adcube, signal) => {
    await adcube.cancel(jobId, { signal })
    print(flags, { job_id: jobId }, `${jobId}\n`)
    tell(flags, 'Cancelled, or deleted if it was finished.')
    return 0
  })
