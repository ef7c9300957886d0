/** A storage that breaks one clause is found by the check of this clause, and by no other. */

import { freePort } from '@latchkey/testing/machine/free-port'
import { describe, expect, onTestFinished, test } from 'vitest'
import type { CheckResult, Profile } from '../../src/check.ts'
import { runChecks } from '../../src/run-checks.ts'
import { playHub, storageTarget } from '../../src/storage/played-hub.ts'
import { storageChecks } from '../../src/storage/storage-checks.ts'
import { defects } from './defects.ts'
import { type Defect, openTestStorage } from './test-storage.ts'

/** All in this process, on a shared clock, and gates learn of revocations immediately: nobody waits. */
async function resultsOf(
  defect: Defect,
  profiles: readonly Profile[] = ['verifier', 'storage'],
): Promise<readonly CheckResult[]> {
  const played = await playHub('https://cas.example/r/{repo}/{ref}', await freePort())
  onTestFinished(() => played.hub.close())
  const serverUrl = await openTestStorage(played.hub.gateOptions, defect)
  const target = storageTarget(played, { serverUrl, sharesClock: true, forgedTokens: 30 })
  onTestFinished(() => target.client.close())
  return runChecks(storageChecks, target, { profiles })
}

const isBad = ({ outcome }: CheckResult) => outcome !== 'passed'

test('a storage without a defect passes all checks', async () => {
  const results = await resultsOf({})
  expect(results.filter(isBad)).toEqual([])
  expect(results.length).toBe(storageChecks.length)
})

describe.each(Object.entries(defects))('a storage with the defect of %s', (id, defect) => {
  test('fails this check, and no other', async () => {
    const profiles = storageChecks.find((check) => check.id === id)?.profiles
    const found = (await resultsOf(defect, profiles)).filter(isBad)
    const bad = found.filter(({ outcome }) => outcome !== 'skipped')
    expect(bad.map((result) => [result.id, result.outcome, result.fault])).toEqual([
      [id, 'failed', expect.anything()],
    ])
  })
})

test('every check has a storage that it finds', () => {
  const ids = storageChecks.map(({ id }) => id)
  expect(ids.filter((id) => !(id in defects))).toEqual([])
  expect(new Set(ids).size).toBe(ids.length)
})
