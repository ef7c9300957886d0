/** A hub that breaks one clause is found by the check of this clause, and by no other. */

import { afterAll, beforeAll, expect, test } from 'vitest'
import { hubChecks } from '../../src/hub/hub-checks.ts'
import { defects } from './defects.ts'
import { openRecordedHub, type RecordedHub } from './recorded-hub.ts'

let hub: RecordedHub
beforeAll(async () => {
  hub = await openRecordedHub()
  await hub.run()
})
afterAll(() => hub.close())

/** After the colon, a name says which of several defects it is. */
const idOf = (name: string) => name.replace(/:.*/, '')

test('a hub without a defect passes all checks', async () => {
  const results = await hub.run()
  expect(results.filter(({ outcome }) => outcome !== 'passed')).toEqual([])
  expect(results.length).toBe(hubChecks.length)
})

test.each(Object.entries(defects))(
  'the defect "%s" is found by its check alone',
  async (name, defect) => {
    const results = await hub.run(defect)
    const found = results.filter(({ outcome }) => outcome !== 'passed' && outcome !== 'skipped')
    expect(found.map(({ id, outcome, fault }) => [id, outcome, fault])).toEqual([
      [idOf(name), 'failed', expect.anything()],
    ])
  },
)

test('every check has a hub that it finds', () => {
  const found = new Set(Object.keys(defects).map(idOf))
  const ids = hubChecks.map(({ id }) => id)
  expect(ids.filter((id) => !found.has(id))).toEqual([])
  expect(new Set(ids).size).toBe(ids.length)
})
