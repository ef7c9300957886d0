/** A repository that a failure has left between git and the directory is settled before more is done in its turn. */

import { temporaryFolder } from '@latchkey/testing/machine/folder'
import { expect, test } from 'vitest'
import { inTurn } from '../../src/commits/in-turn.ts'
import { openMarkers } from '../../src/commits/markers.ts'
import { settledTurns } from '../../src/commits/settle.ts'
import type { Git } from '../../src/git/index.ts'
import { HubUnavailable } from '../../src/link/hub-unavailable.ts'
import { someUid } from '../git/world.ts'

test('nothing is done while the hub is away, and once it is back the place of a ref is given up first', async () => {
  const markers = await openMarkers(temporaryFolder())
  const done: string[] = []
  let isAway = true
  const hub = {
    refsOf: async () => new Map(),
    deletedAmong: async () => [],
    async dropReserved(_: unknown, refUid: string) {
      if (isAway) throw new HubUnavailable('away', { mayHaveTakenEffect: false })
      done.push(`dropped ${refUid}`)
    },
  }
  const turns = settledTurns(inTurn(), {
    git: { open: () => undefined } as unknown as Git,
    hub,
    markers,
  })
  const work = () => turns({ uid: someUid, account: 'ada' }, async () => void done.push('worked'))
  await work()
  const reserved = 'r'.repeat(26) as never
  await markers.set(someUid, { reserved })
  await expect(work()).rejects.toThrow(HubUnavailable)
  expect([done, markers.all()]).toEqual([['worked'], [someUid]])
  isAway = false
  await work()
  await work()
  expect(done).toEqual(['worked', `dropped ${reserved}`, 'worked', 'worked'])
  expect(markers.all()).toEqual([])
})
