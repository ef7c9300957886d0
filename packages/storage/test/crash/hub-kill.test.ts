/** SIGKILL to the hub under load, beside a storage of its own: reads go on, uploads wait, and removals arrive. */

import { setTimeout as delay } from 'node:timers/promises'
import { printedChance, rounds } from '@latchkey/testing/chance'
import { complaints } from '@latchkey/testing/hub/dump'
import { sharedFolder } from '@latchkey/testing/machine/folder'
import { beforeAll, expect, test } from 'vitest'
import { leftBehind } from './left-behind.ts'
import { readBack, startLoad } from './load.ts'
import { hashesOf, xorbOf } from './sending.ts'
import type { Answer } from './storage-process.ts'
import { startTwoProcesses, type TwoProcesses } from './two-processes.ts'

const kills = rounds(1, 100)
const seconds = 1000
/** A kill comes after at most so many acknowledgements, and a little later. */
const maxAnswers = 20
const maxMs = 40
/** A little less than uploads wait for the hub: on a slow machine it may take longer to start. */
const surelyAwaited = 25 * seconds

const shared = sharedFolder()
let processes: TwoProcesses
beforeAll(async () => {
  processes = await startTwoProcesses(shared)
})

// conformance: Guarantees / An unavailable hub stops no read and no upload of its storage
// conformance: Embedded storage / A kill of the storage or of its hub loses no acknowledged write
test(
  `while its hub is killed ${kills} times, a storage refuses no read and no upload, and it learns of every removal afterwards`,
  async () => {
    const { storage, prepared, data, openRef } = processes
    const chance = printedChance('hub')
    const outage = watchOutages()
    const refs = { main: await openRef('main'), dev: await openRef('dev') }
    const load = startLoad({ refs, firstNumber: 0, isRepeated: outage.excuses })
    // While the hub is away nothing more is acknowledged that could be read.
    await load.read(1)
    for (let round = 0; round < kills; round += 1) {
      const removed = await fillBranch(`removed-${round}`, round)
      await load.acknowledged(Math.floor(chance.next() * maxAnswers))
      await delay(chance.next() * maxMs)
      await processes.killHub()
      outage.begins()
      const sent = sendOne(refs.main, round)
      await load.read(10)
      await processes.startHub()
      outage.ends()
      await processes.deleteBranch(`removed-${round}`)
      const { status, body } = await sent
      expect(status === 200 || outage.excuses({ status, body }), `${status}: ${body}`).toBe(true)
      await expect.poll(removed).toBe(401)
      await expect.poll(processes.isLinked).toBe(true)
    }
    const all = await load.finish()
    for (const content of all) await readBack(refs[content.branch], content, () => false)
    expect((await storage.end('SIGTERM')).code).toBe(0)
    await processes.killHub()
    const { flaws, hashes } = await leftBehind(data)
    expect([flaws, complaints(prepared.database)]).toEqual([[], []])
    expect(new Set(all.flatMap(hashesOf)).difference(hashes)).toEqual(new Set())
    process.stdout.write(`hub: ${all.length} files, ${outage.longest()} ms without it at most\n`)
  },
  kills * 60 * seconds,
)

/** A branch with content; gives the status of reading it with a token from before. */
async function fillBranch(branch: string, number: number): Promise<() => Promise<number>> {
  await processes.createBranch(branch)
  const ref = await processes.openRef(branch)
  const { hash, bytes } = xorbOf({ number, branch: 'main' })
  expect((await ref.sendXorb(hash, new Uint8Array(bytes))).status).toBe(200)
  expect((await ref.readXorb(hash)).status).toBe(200)
  return async () => (await ref.readXorb(hash)).status
}

/** Beyond the numbers of the load. */
function sendOne(ref: Awaited<ReturnType<TwoProcesses['openRef']>>, round: number) {
  const { hash, bytes } = xorbOf({ number: 1_000_000 + round, branch: 'main' })
  return ref.sendXorb(hash, new Uint8Array(bytes))
}

function watchOutages() {
  let beganAt = 0
  let [last, longest] = [0, 0]
  return {
    begins() {
      beganAt = performance.now()
      last = Number.POSITIVE_INFINITY
    },
    ends() {
      last = performance.now() - beganAt
      longest = Math.max(longest, last)
    },
    longest: () => Math.round(longest),
    /** Uploads wait only so long; nothing else may be refused, and nothing stays without an answer. */
    excuses(answer: Answer | Error): boolean {
      const isAway = !(answer instanceof Error) && answer.status === 503
      return isAway && Math.min(last, performance.now() - beganAt) > surelyAwaited
    },
  }
}
