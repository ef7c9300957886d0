/** SIGKILL while xorbs and shards come in: what was acknowledged is there, and nothing is there by half. */

import { setTimeout as delay } from 'node:timers/promises'
import { type Chance, printedChance, rounds } from '@latchkey/testing/chance'
import { type Prepared, prepareData } from '@latchkey/testing/hub/prepared-data'
import { sharedFolder } from '@latchkey/testing/machine/folder'
import { beforeAll, expect, test } from 'vitest'
import { leftBehind } from './left-behind.ts'
import { type Branch, bytesOfFile, type Sent, sendUntilGone, xorbOf } from './sending.ts'
import { type Ref, type StorageProcess, serveStorage } from './storage-process.ts'

const count = rounds(2, 200)
const seconds = 1000
/** A kill comes after so many acknowledgements, and a little later. */
const minAnswers = 2
const maxAnswers = 40
const maxMs = 40

const shared = sharedFolder()
let prepared: Prepared
beforeAll(async () => {
  prepared = await prepareData(shared)
})

/** How what was sent was met again: there and acknowledged, there all the same, or not there. */
type Met = 'acknowledged' | 'kept' | 'absent'

test(
  `a storage killed at ${count} random moments has what it acknowledged, and nothing by half`,
  async () => {
    const chance = printedChance('storage')
    const met: Record<Met, number> = { acknowledged: 0, kept: 0, absent: 0 }
    const known = new Set<string>()
    const all: Sent[] = []
    let last: readonly Sent[] = []
    for (let round = 0; round < count; round += 1) {
      const { storage, refs } = await start()
      for (const sent of last) met[await meet(refs, sent)] += 1
      last = await sendUntilKilled(storage, refs, { round, chance })
      all.push(...last)
      const { flaws, hashes } = await leftBehind(prepared.data, known)
      expect(flaws).toEqual([])
      expect(hashes.difference(new Set(all.map(({ hash }) => hash)))).toEqual(new Set())
    }
    const { storage, refs } = await start()
    for (const sent of all) {
      const how = await meet(refs, sent)
      if (last.includes(sent)) met[how] += 1
    }
    await storage.end()
    const { flaws, drafts, strays } = await leftBehind(prepared.data)
    expect(flaws).toEqual([])
    process.stdout.write(`storage: ${JSON.stringify({ ...met, drafts, strays })}\n`)
    expect(met.acknowledged).toBeGreaterThan(count)
    expect(met.absent).toBeGreaterThan(count / 4)
  },
  count * 60 * seconds,
)

async function start(): Promise<{ storage: StorageProcess; refs: Record<Branch, Ref> }> {
  const storage = await serveStorage(prepared, shared)
  return {
    storage,
    refs: { main: await storage.openRef('main'), dev: await storage.openRef('dev') },
  }
}

async function sendUntilKilled(
  storage: StorageProcess,
  refs: Record<Branch, Ref>,
  { round, chance }: { readonly round: number; readonly chance: Chance },
): Promise<readonly Sent[]> {
  const { promise: isFar, resolve } = Promise.withResolvers<void>()
  let left = minAnswers + Math.floor(chance.next() * (maxAnswers - minAnswers))
  const sending = sendUntilGone(refs, round * 1000, () => {
    left -= 1
    if (left === 0) resolve()
  })
  await Promise.race([isFar, sending])
  await delay(chance.next() * maxMs)
  await storage.end('SIGKILL')
  return sending
}

/** Only what was not acknowledged may be absent; whatever is there is what was sent. */
async function meet(refs: Record<Branch, Ref>, sent: Sent): Promise<Met> {
  const found = await (sent.kind === 'xorb' ? findXorb : findFile)(refs[sent.branch], sent)
  const name = `${sent.kind} ${sent.number} of ${sent.branch}`
  if (found === undefined) {
    expect(sent.isAcknowledged, `${name} is absent, and was acknowledged`).toBe(false)
    return 'absent'
  }
  const expected = sent.kind === 'xorb' ? xorbOf(sent).bytes : bytesOfFile(sent)
  expect(found.equals(expected), `${name} is what was sent`).toBe(true)
  return sent.isAcknowledged ? 'acknowledged' : 'kept'
}

async function findXorb(ref: Ref, sent: Sent): Promise<Buffer | undefined> {
  const { status, body } = await ref.readXorb(sent.hash)
  expect([200, 404]).toContain(status)
  return status === 404 ? undefined : body
}

function findFile(ref: Ref, sent: Sent): Promise<Buffer | undefined> {
  return ref.readFile(sent.hash)
}
