/**
 * For child processes: Ctrl-C reaches them too, but it is the parent that decides when they end. When the parent is
 * gone, or an error was caught by nobody, they end at once: a clean exit would wait for queries that nobody reads.
 */
export function endWithParent(): void {
  const end = (): void => void process.kill(process.pid, 'SIGKILL')
  process
    .on('SIGINT', () => {})
    .on('SIGTERM', () => {})
    .on('SIGHUP', () => {})
  process.on('disconnect', end)
  process.on('uncaughtException', (error) => {
    process.stderr.write(`${error.stack ?? error.message}\n`)
    end()
  })
  if (!process.connected) end()
}
