/** SIGKILL to the storage of `latchkey serve` under load: it comes back, nothing acknowledged is lost, and the hub goes on. */

import { setTimeout as delay } from 'node:timers/promises'
import { printedChance, rounds } from '@latchkey/testing/chance'
import { askHub } from '@latchkey/testing/hub/ask-hub'
import { type Prepared, prepareData } from '@latchkey/testing/hub/prepared-data'
import { childrenOf, hasProc, isGone } from '@latchkey/testing/machine/child-processes'
import { sharedFolder } from '@latchkey/testing/machine/folder'
import { beforeAll, expect, test, vi } from 'vitest'
import { counter } from './counter.ts'
import { leftBehind } from './left-behind.ts'
import { readBack, startLoad } from './load.ts'
import { hashesOf } from './sending.ts'
import { type Answer, type StorageProcess, serveStorage } from './storage-process.ts'

const kills = rounds(1, 100)
/** Each waits twice as long for the next start as the one before, so a few of them for each hub. */
const killsPerHub = rounds(1, 2)
const seconds = 1000
/** A kill comes after at most so many acknowledgements, and a little later. */
const maxAnswers = 12
const maxMs = 40

if (!hasProc) console.warn('SKIPPED: there is no /proc, so the storage process is not found')

const shared = sharedFolder()
let prepared: Prepared
beforeAll(async () => {
  prepared = await prepareData(shared)
})

// conformance: Embedded storage / A kill of the storage or of its hub loses no acknowledged write
test.skipIf(!hasProc)(
  `the storage of latchkey serve killed ${kills} times has what it acknowledged, and tokens are issued throughout`,
  async () => {
    const chance = printedChance('storage child')
    const known = new Set<string>()
    const sent = new Set<string>()
    for (let round = 0; round * killsPerHub < kills; round += 1) {
      const serving = await serveStorage(prepared, shared)
      const refs = { main: await serving.openRef('main'), dev: await serving.openRef('dev') }
      const load = startLoad({ refs, firstNumber: round * 1000, isRepeated })
      const issuing = issueTokens(serving, prepared)
      for (let kill = 0; kill < killsPerHub; kill += 1) {
        await load.acknowledged(Math.floor(chance.next() * maxAnswers))
        await delay(chance.next() * maxMs)
        await killStorage(serving)
        await issuing.issued(2)
      }
      // From here on a storage that was started again acknowledges.
      await load.acknowledged(4)
      const all = await load.finish()
      await issuing.stop()
      for (const content of all) {
        await readBack(refs[content.branch], content, () => false)
        for (const hash of hashesOf(content)) sent.add(hash)
      }
      expect(endingsIn(serving)).toEqual(Array(killsPerHub).fill('SIGKILL'))
      expect((await serving.end('SIGTERM')).code).toBe(0)
      const { flaws, drafts, hashes } = await leftBehind(prepared.data, known)
      expect([flaws, hashes]).toEqual([[], sent])
      process.stdout.write(`storage child: ${all.length} files, ${drafts} drafts left\n`)
    }
  },
  kills * 60 * seconds,
)

/** No answer, or that of a storage which has just been started. */
function isRepeated(answer: Answer | Error): boolean {
  return answer instanceof Error || answer.status === 503
}

/** One that runs: a child that was killed is among the children until its parent has taken notice. */
async function killStorage({ child: { pid } }: StorageProcess): Promise<void> {
  const storage = await vi.waitFor(() => {
    const found = childrenOf(pid).find((one) => !isGone(one))
    if (found === undefined) throw new Error('there is no storage process')
    return found
  }, 60 * seconds)
  process.kill(storage, 'SIGKILL')
  // Beside much load it lives on for a moment, and the next kill must not be for it.
  await expect.poll(() => isGone(storage)).toBe(true)
}

/** Asks for tokens all the time; each must be issued. */
function issueTokens({ url }: StorageProcess, { tokens }: Prepared) {
  const token = tokens['writer/write'] ?? ''
  const issued = counter()
  let isStopping = false
  const asking = (async () => {
    while (!isStopping) {
      const { status, body } = await askHub(url, 'write models/acme/bert@dev', { token })
      if (status !== 200) throw new Error(`the hub answered ${status}: ${body}`)
      issued.add()
      await delay(20)
    }
  })()
  asking.catch(() => {})
  return {
    issued: (count: number) => Promise.race([issued.more(count), asking]),
    stop() {
      isStopping = true
      return asking
    },
  }
}

/** How the storage's processes ended, as the hub's log tells it. */
function endingsIn({ output }: StorageProcess): readonly unknown[] {
  const lines = output().stdout.split('\n').slice(0, -1)
  return lines
    .map((line) => JSON.parse(line))
    .filter(({ event }) => event === 'storage_ended')
    .map(({ signal }) => signal)
}
