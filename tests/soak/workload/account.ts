import { addDays, dayOf, type Day } from '../../../src/query/day.ts'

export const account = 'soak'
export const metrics = ['Ad Requests', 'Adserver Revenue', 'Uniques']
const today = dayOf(Date.now())
export const daysAgo = (days: number): Day => addDays(today, -days)
