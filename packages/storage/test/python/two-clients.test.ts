/** The unmodified `hf_xet` and `latchkey` on the same files: each reads what the other wrote, and goes on where it was broken off. */

import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { rounds } from '@latchkey/testing/chance'
import { keystream } from '@latchkey/testing/keystream'
import { temporaryFolder } from '@latchkey/testing/machine/folder'
import { hfXetReleases, isInstalled } from '@latchkey/testing/tools/python-environments'
import { expect, onTestFinished, test } from 'vitest'
import { openStage, type Stage } from '../real-clients/stage.ts'
import { sentXorbBytes } from '../real-clients/transfers.ts'
import { type Client, hfXetClient, latchkeyClient, type Running } from './two-clients.ts'

/** Its beginning comes again. */
const contentOf = (bytes: number) => {
  const unique = keystream('two clients', bytes)
  return Buffer.concat([unique, unique.subarray(0, 1_500_000)])
}
/** By who begins: two xorbs of `latchkey`, which can be broken off between them, or one of `hf_xet`, before its shard. */
const contents = { latchkey: contentOf(17_500_000), hf_xet: contentOf(2_000_000) }
/** In a soak: each client takes one more process for it. */
const smallest = [Buffer.of(7)].slice(0, rounds(0, 1))
/** In either of them each client reads what the other has sent. */
const orders = (
  [
    ['hf_xet', 'latchkey'],
    ['latchkey', 'hf_xet'],
  ] as const
).slice(0, rounds(1, 2))

for (const [release, environment] of hfXetReleases) {
  const isMissing = !isInstalled(environment)
  if (isMissing) console.warn(`NOT TESTED: hf_xet ${release} is not installed, so it reads nothing`)

  // conformance: Embedded storage / Unmodified clients upload and download
  test.skipIf(isMissing).each(orders)(
    `what %s began to upload, %s brings to its end, and both read it: ${release}`,
    async (first, second) => {
      const content = contents[first]
      const folder = temporaryFolder()
      const stage = await openStage()
      onTestFinished(stage.close)
      const clients = {
        latchkey: latchkeyClient(stage, folder),
        hf_xet: hfXetClient(stage, folder, environment.python),
      }
      const upload = (client: Client, bytes: Buffer): Running => {
        writeFileSync(join(folder, 'sent'), bytes)
        return client.upload({ branch: 'main', file: join(folder, 'sent') })
      }
      const read = async (client: Client, hash: string, { length: bytes }: Buffer) => {
        const file = join(folder, 'read')
        await client.download({ branch: 'main', file, hash, bytes }).printed
        return readFileSync(file)
      }
      for (const small of smallest) {
        const hash = await upload(clients[first], small).printed
        expect(await read(clients[second], hash, small)).toEqual(small)
      }

      await breakOff(stage, content.length / 2, () => upload(clients[first], content))
      const before = sentXorbBytes(stage.door.passed)
      const hash = await upload(clients[second], content).printed
      expect(sentXorbBytes(stage.door.passed) - before).toBeLessThan(content.length / 2)
      for (const client of [clients[first], clients[second]]) {
        expect((await read(client, hash, content)).equals(content)).toBe(true)
      }
    },
  )
}

/** Kills the client once the xorb with the beginning is kept and it has more to send: another xorb, or the shard. */
async function breakOff({ door }: Stage, large: number, begin: () => Running): Promise<void> {
  const sentBefore = sentXorbBytes(door.passed)
  const waiting = Promise.withResolvers<void>()
  door.stopEach(async (call, bytes) => {
    if (!/^POST .*\/(?:xorbs\/|shards$)/.test(call)) return
    // Two xorbs arrive in either order; clients find the larger one, because they ask for the first chunk.
    if (bytes > large) return
    waiting.resolve()
    await new Promise(() => {})
  })
  const { child, printed } = begin()
  await Promise.race([waiting.promise, printed])
  await expect.poll(() => sentXorbBytes(door.passed)).toBeGreaterThan(sentBefore)
  child.kill('SIGKILL')
  await expect(printed).rejects.toThrow('a client ended with null')
  door.stopEach(async () => {})
}
