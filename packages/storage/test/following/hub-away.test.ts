/** A write while the hub is away: it waits with its body on the disk, and is stored when the hub is back or not at all. */

import { CredentialError } from '@latchkey/gate/hub-link'
import type { CutLink } from '@latchkey/testing/hub/link-to'
import { movedStopwatch } from '@latchkey/testing/moved-stopwatch'
import { makeFile, makeShard, makeXorb, randomChunks } from '@latchkey/testing/xet/making'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { bodyOf, type Caller, type Told } from '../caller.ts'
import { openStage, type Stage } from '../stage.ts'

const stopwatch = movedStopwatch()
/** As long as a write waits. */
const patienceSeconds = 30
const waitMs = 60_000

let stage: Stage
let caller: Caller
beforeAll(async () => {
  stage = await openStage({ stopwatch: stopwatch.now })
  const repository = await stage.newRepository()
  caller = await stage.caller(`write ${repository}@main`)
})
afterAll(() => stage?.close())

let made = 0
function newXorb() {
  made += 1
  return makeXorb(randomChunks(`away ${made}`, 2, 1000), { scheme: 'none' })
}

async function kept() {
  return { rows: await stage.rows(), objects: stage.objects() }
}

/** The write has asked in vain, and again since the stopwatch went on. */
async function afterSeconds(cut: CutLink, seconds: number): Promise<void> {
  await vi.waitFor(() => expect(cut.failed()).toBeGreaterThan(0), waitMs)
  stopwatch.pass(seconds)
}

const body = (xorb = newXorb()) => ({
  xorb: () => caller.upload(xorb),
  'shard (v1)': () => caller.register([makeFile([{ xorb }])]),
})

describe.each(['xorb', 'shard (v1)'] as const)(
  'a %s that is sent while the hub is away',
  (kind) => {
    const prepared = async () => {
      const xorb = newXorb()
      if (kind !== 'xorb') expect((await caller.upload(xorb)).status).toBe(200)
      return body(xorb)[kind]
    }

    test('waits, and is stored when the hub is back in time', async () => {
      const send = await prepared()
      const cut = stage.relayed.cut()
      const sent = send()
      await afterSeconds(cut, patienceSeconds - 1)
      const before = cut.failed()
      await vi.waitFor(() => expect(cut.failed()).toBeGreaterThan(before), waitMs)
      cut.mend()
      expect((await sent).status).toBe(200)
    })

    test('is refused with 503 and Retry-After when the hub stays away, and nothing is stored', async () => {
      const send = await prepared()
      const before = await kept()
      const cut = stage.relayed.cut()
      const sent = send()
      await afterSeconds(cut, patienceSeconds)
      expectAway(await sent)
      expect(await kept()).toEqual(before)
      expect(stage.drafts()).toEqual([])
      cut.mend()
      expect((await send()).status).toBe(200)
      expect((await kept()).rows).not.toEqual(before.rows)
    })

    test('is refused at once where the hub refuses the credential of the storage', async () => {
      const send = await prepared()
      const before = await kept()
      const cut = stage.relayed.cut(new CredentialError('the hub refused the credential'))
      const { status, headers, code, json } = await send()
      expect([status, code, headers.get('retry-after')]).toEqual([503, 'hub_unavailable', '30'])
      expect(json['detail']).toMatch(/does not accept the credential .+ Tell the operator/)
      expect([cut.failed(), await kept()]).toEqual([1, before])
      cut.mend()
    })
  },
)

test('a shard that tells how far it is ends with the same sentence, and nothing is stored', async () => {
  const xorb = newXorb()
  await caller.upload(xorb)
  const shard = bodyOf(makeShard({ files: [makeFile([{ xorb }])] }))
  const before = await kept()
  const cut = stage.relayed.cut()
  const sent = caller.ask('POST /v2/shards', { body: shard })
  await afterSeconds(cut, patienceSeconds)
  const last = JSON.parse((await sent).text.trim().split('\n').at(-1) ?? '')
  expect(last).toEqual({ type: 'error', message: expect.stringContaining('cannot reach its hub') })
  expect(await kept()).toEqual(before)
  cut.mend()
})

test('what is there is read as before, however long the hub is away', async () => {
  const xorb = newXorb()
  const file = makeFile([{ xorb }])
  await caller.upload(xorb)
  await caller.register([file])
  const cut = stage.relayed.cut()
  stopwatch.pass(10 * patienceSeconds)
  expect((await caller.ask(`GET /v1/xorbs/default/${xorb.hash}`)).bytes.equals(xorb.bytes)).toBe(
    true,
  )
  expect(await caller.download(file.hash)).toEqual(
    Buffer.concat(randomChunks(`away ${made}`, 2, 1000)),
  )
  expect(cut.failed()).toBe(0)
  cut.mend()
})

function expectAway({ status, headers, code, json }: Told): void {
  expect([status, code, headers.get('retry-after')]).toEqual([503, 'hub_unavailable', '5'])
  expect(json['detail']).toContain('nothing was stored')
  expect(json['detail']).toContain('Send the upload again')
}
