/** How far the sample data is, on stderr: a line that moves for a person, one for every tenth in a file. */
export function showProgress(): (share: number) => void {
  const { isTTY } = process.stderr
  let told = -1
  return (share) => {
    const percent = Math.floor(100 * share)
    if (percent <= told || (!isTTY && percent % 10 !== 0)) return
    told = percent
    process.stderr.write(`${isTTY ? '\r' : ''}Creating sample data: ${percent} %${isTTY && percent < 100 ? '' : '\n'}`)
  }
}
