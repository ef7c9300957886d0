/** A storage that breaks one clause is found by the check of this clause, and by no other. */

import { freePort } from '@latchkey/testing/machine/free-port'
import { describe, expect, onTestFinished, test } from 'vitest'
import type { CheckResult, Profile } from '../../src/check.ts'
import { runChecks } from '../../src/run-checks.ts'
import { playHub, storageTarget } from '../../src/storage/played-hub.ts'
import { storageChecks } from '../../src/storage/storage-checks.ts'
import type { RawClient } from '../../src/wire/raw-request.ts'
import { defects } from './defects.ts'
import { type Defect, openTestStorage } from './test-storage.ts'

/** On a shared clock, and gates learn of revocations immediately: nobody waits. */
async function resultsOf(
  defect: Defect,
  profiles: readonly Profile[] = ['verifier', 'storage'],
  isOverNetwork = false,
): Promise<readonly CheckResult[]> {
  const played = await playHub('https://cas.example/r/{repo}/{ref}', await freePort())
  onTestFinished(() => played.hub.close())
  const { serverUrl, send } = await openTestStorage(played.hub.gateOptions, defect)
  const target = storageTarget(played, { serverUrl, sharesClock: true, forgedTokens: 16 })
  onTestFinished(() => target.client.close())
  const client = isOverNetwork ? target.client : shortcut(target.client, send)
  return runChecks(storageChecks, { ...target, client }, { profiles })
}

/** While an upload runs, requests take the same way, so that none overtakes it. */
function shortcut(network: RawClient, send: RawClient['send']): RawClient {
  let uploads = 0
  return {
    ...network,
    send: (request) => (uploads > 0 ? network.send(request) : send(request)),
    async upload(...words) {
      uploads += 1
      try {
        return await network.upload(...words)
      } finally {
        uploads -= 1
      }
    },
  }
}

const isBad = ({ outcome }: CheckResult) => outcome !== 'passed'

test.each([true, false])(
  'a storage without a defect passes all checks (over the network: %s)',
  async (isOverNetwork) => {
    const results = await resultsOf({}, undefined, isOverNetwork)
    expect(results.filter(isBad)).toEqual([])
    expect(results.length).toBe(storageChecks.length)
  },
)

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
