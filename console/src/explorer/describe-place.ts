/** "Filter 2, values 1" for #/filters/1/values/0. */
export function describePlace(pointer: string): string {
  const steps = pointer.replace(/^#\//, '').split('/')
  const words = steps.map((step) => (/^\d+$/.test(step) ? String(Number(step) + 1) : step))
  const text = words
    .join(' ')
    .replace(/^filters (\d+)/, 'filter $1,')
    .replace(/^sort (\d+)/, 'sort entry $1,')
  const place = text.replace(/,$/, '')
  return place.charAt(0).toUpperCase() + place.slice(1)
}
