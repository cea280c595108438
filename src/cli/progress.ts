type Progress = { readonly days: number; readonly daysAll: number; readonly rows: number }

/** Progress of the sample data on stderr: a line that moves for a person, lines for a file. */
export function showProgress({ days, daysAll, rows }: Progress): void {
  const percent = Math.floor((100 * days) / daysAll)
  const text = `Making sample data: ${percent} %, ${rows.toLocaleString('en-US')} rows`
  const { isTTY } = process.stderr
  process.stderr.write(`${isTTY ? '\r' : ''}${text}${isTTY && days < daysAll ? '' : '\n'}`)
}
