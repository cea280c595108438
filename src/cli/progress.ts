type Progress = { readonly days: number; readonly daysAll: number; readonly rows: number }

/** Progress of the sample data on stderr: a line that moves for a person, a line each tenth for a file. */
export function showProgress(): (progress: Progress) => void {
  let shown = -1
  return ({ days, daysAll, rows }) => {
    const percent = Math.floor((100 * days) / daysAll)
    const step = process.stderr.isTTY ? percent : Math.floor(percent / 10) * 10
    if (step === shown) return
    shown = step
    const text = `Making sample data: ${step} % of ${daysAll} days, ${rows.toLocaleString('en-US')} rows stored`
    process.stderr.write(process.stderr.isTTY ? `\r${text}${days === daysAll ? '\n' : ''}` : `${text}\n`)
  }
}
