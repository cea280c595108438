import type { Command } from '@commander-js/extra-typings'
import { withDetails } from '../command.ts'
import { openControlData, readTime } from '../control-data.ts'
import { dataDir, json } from '../options.ts'
import { formatCount, note, printTable } from '../output.ts'

export const define = (command: Command) =>
  withDetails(
    command,
    'Facts older than 13 months are deleted automatically, but not more than seven days of them at once, and nothing is ' +
      'deleted by age for a day after the clock was more than a day ahead of the last known time. Check the clock before ' +
      'you confirm. The facts stay on disk for another day.',
  )
    .option('--confirm', 'Retire what is listed, and trust the clock')
    .addOption(dataDir)
    .addOption(json)
    .action(async ({ confirm = false, ...flags }) => {
      const { listDaysBefore, oldestDayDue, retireDaysBefore } = await import('../../ingest/retire-old.ts')
      const { readClockCheck, trustTime } = await import('../../store/deletion-hold.ts')
      await using store = await openControlData(flags)
      const now = await readTime(store)
      const oldest = oldestDayDue(now)
      const due = await listDaysBefore(store, oldest)
      const { heldSince, trustedAt } = await readClockCheck(store)
      if (confirm) {
        await trustTime(store, now)
        while (await retireDaysBefore(store, oldest, now)) continue
      }
      const rows = due.map(({ cube, days, firstDay, lastDay, accountDays }) => ({
        cube,
        days,
        first_day: firstDay,
        last_day: lastDay,
        account_days: accountDays,
      }))
      const isHeld = !confirm && heldSince !== null
      const clock = { now: new Date(now).toISOString(), oldest, is_held: isHeld, is_confirmed: confirm }
      await printTable(flags, rows, { data: { ...clock, due: rows }, none: `No facts are older than ${oldest}.` })
      if (isHeld) {
        note(
          flags,
          `Nothing is deleted by age: the clock says ${clock.now}, more than a day after ${new Date(trustedAt ?? 0).toISOString()}, the last known time.`,
        )
      }
      const count = formatCount(due.reduce((sum, { accountDays }) => sum + accountDays, 0))
      if (confirm) note(flags, `Retired ${count} account days older than ${oldest}; their files are deleted in a day.`)
      else if (isHeld || due.length > 0) note(flags, 'If the clock is right: adcube retire --confirm')
    })
