/** No request is judged by a version that was asked for before it arrived, also where requests wait in a queue. */

import { stat } from 'node:fs'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { requestQueue } from '@latchkey/service/http/listener'
import { expect, test } from 'vitest'
import { versionPerTurn } from '../../src/access/watch-version.ts'
import { fakeStore, nextTurn, versionOf } from './fake-store.ts'

const request = { rawHeaders: [] as string[] } as IncomingMessage
const response = { destroyed: false } as ServerResponse

/** Where requests arrive: after timers, before what `setImmediate` was told. */
const readable = () => new Promise<void>((next) => stat('.', () => next()))

/** The directory changes before the requests of each turn arrive. */
test.each([1, 2, 5])('%i requests arrive in each turn', async (inTurn) => {
  let now = 0
  const store = fakeStore()
  const { access, forgetVersion } = versionPerTurn(store)
  const queue = requestQueue({
    ...{ maxWaitMs: 60_000, flowOf: () => '', refuse() {}, onSlice: forgetVersion },
    stopwatch: () => now,
  })
  const old: number[] = []
  let served = 0
  const arrive = (number: number) => {
    store.answers = { ...store.answers, version: versionOf(number) }
    queue.through(() => {
      served += 1
      now += 0.4
      if (access.version().number < number) old.push(number)
    })(request, response)
  }
  const turns = 50
  for (let turn = 0; turn < turns; turn += 1) {
    await readable()
    for (let one = 0; one < inTurn; one += 1) arrive(turn + 1)
  }
  while (queue.size() > 0) await nextTurn()
  expect(old).toEqual([])
  expect(served).toBe(turns * inTurn)
})
