import { afterAll, describe, expect, test } from 'vitest'
import { noon } from './accounts.ts'
import { printValue, readAnswers, writeAnswers, type Answers } from './answer-files.ts'
import { createAccounts, replay, type Answer } from './replay.ts'
import { themes } from './requests/index.ts'
import { openRecordedService } from './setup.ts'

/**
 * Every answer of /v2 is, byte for byte, what it was when it was recorded. `npm run record:v2` records them again: only
 * for a change that /v2 is meant to see.
 */

const clock = { now: Date.parse(noon) }
const service = await openRecordedService(clock)
afterAll(() => service.close())
const keys = await createAccounts(service)
await service.load()

const answers: Record<string, Readonly<Record<string, Answer>>> = {}
for (const [theme, steps] of Object.entries(themes)) {
  answers[theme] = await replay(steps, { service, keys, clock })
}
if (process.env.ADCUBE_RECORD === 'write') await writeAnswers(answers)
const recorded: Answers = await readAnswers()

for (const [theme, ofTheme] of Object.entries(answers)) {
  describe(theme, () => {
    for (const [name, answer] of Object.entries(ofTheme)) {
      test(name, () => {
        expect(printValue(answer)).toBe(printValue(recorded[theme]?.[name] ?? 'not recorded'))
      })
    }
  })
}

test('every recorded answer has its request', () => {
  const namesOf = (all: Answers) =>
    Object.entries(all).flatMap(([theme, ofTheme]) => Object.keys(ofTheme).map((name) => `${theme}: ${name}`))
  expect(namesOf(recorded).toSorted()).toEqual(namesOf(answers).toSorted())
})
