/** SIGKILL while a ref is given files of another: it has all of them or none, and the acknowledged are there. */

import { setTimeout as delay } from 'node:timers/promises'
import { printedChance, printSides, rounds } from '@latchkey/testing/chance'
import { type Prepared, prepareData } from '@latchkey/testing/hub/prepared-data'
import { sharedFolder } from '@latchkey/testing/machine/folder'
import { makeFile, makeShard, makeXorb, randomChunks } from '@latchkey/testing/xet/making'
import type { Hash } from '@latchkey/xet/format'
import { beforeAll, expect, test } from 'vitest'
import { tell } from '../caller.ts'
import { leftBehind } from './left-behind.ts'
import { type Ref, serveStorage } from './storage-process.ts'

const kills = rounds(1, 100)
const files = 100
/** A request takes less: some kills come after its answer. */
const maxMs = 60

const shared = sharedFolder()
let prepared: Prepared
beforeAll(async () => {
  prepared = await prepareData(shared)
})

/** As many files of one xorb, each of one chunk. */
async function putFiles(dev: Ref, round: number): Promise<readonly Hash[]> {
  const xorb = makeXorb(randomChunks(`round ${round}`, files, 200))
  const made = Array.from({ length: files }, (_, at) =>
    makeFile([{ xorb, start: at, end: at + 1 }]),
  )
  const sent = await dev.sendXorb(xorb.hash, new Uint8Array(xorb.bytes))
  const registered = await dev.sendShard(makeShard({ files: made, xorbs: [xorb] }))
  expect([sent.status, registered.status]).toEqual([200, 200])
  return made.map(({ hash }) => hash)
}

async function adopt(main: Ref, dev: Ref, hashes: readonly Hash[]): Promise<number | undefined> {
  try {
    const { status } = await tell(`${main.casUrl}/v1/shards/adopt`, {
      method: 'POST',
      headers: { authorization: `Bearer ${main.accessToken}` },
      body: JSON.stringify({ files: hashes, through: [dev.accessToken] }),
    })
    return status
  } catch {
    return undefined
  }
}

/** How many of the files are the ref's own. */
async function countOwn({ casUrl, accessToken }: Ref, hashes: readonly Hash[]): Promise<number> {
  const headers = { authorization: `Bearer ${accessToken}` }
  const told = await Promise.all(
    hashes.map((hash) => tell(`${casUrl}/v1/files/${hash}`, { method: 'HEAD', headers })),
  )
  return told.filter(({ status }) => status === 200).length
}

// conformance: Embedded storage / A ref copies readable content from other refs completely or not at all
test(
  'a storage that is killed in the middle has adopted all or nothing',
  async () => {
    const chance = printedChance('adopting')
    const sides = { before: 0, after: 0 }
    let last: { hashes: readonly Hash[]; status: number | undefined } | undefined
    for (let round = 0; round <= kills; round += 1) {
      const storage = await serveStorage(prepared, shared)
      const [main, dev] = [await storage.openRef('main'), await storage.openRef('dev')]
      if (last !== undefined) {
        const own = await countOwn(main, last.hashes)
        expect([0, files]).toContain(own)
        if (last.status === 200) expect(own).toBe(files)
        sides[own === 0 ? 'before' : 'after'] += 1
      }
      if (round === kills) {
        await storage.end()
        break
      }
      const hashes = await putFiles(dev, round)
      const adopting = adopt(main, dev, hashes)
      await delay(chance.next() * maxMs)
      await storage.end('SIGKILL')
      last = { hashes, status: await adopting }
      expect([200, undefined]).toContain(last.status)
      expect((await leftBehind(prepared.data)).flaws).toEqual([])
    }
    printSides('adopting', sides)
  },
  kills * 60_000,
)
