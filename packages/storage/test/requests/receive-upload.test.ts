/** A body that is not handed on leaves nothing behind, and counts for its account no more. */

import { mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { isRefusal, refuse } from '@latchkey/protocol'
import { expect, onTestFinished, test } from 'vitest'
import { diskObjects } from '../../src/objects/open-objects.ts'
import type { StorageCall } from '../../src/request/asked.ts'
import { uploadReceiver } from '../../src/request/receive-upload.ts'

const kind = { name: 'xorb', maxBytes: 1000 } as const

function asked(): StorageCall {
  const body = { stream: Readable.from([Buffer.alloc(1000)]), length: 1000 }
  const payer = { account: 'ada', repositoryUid: 'repository' }
  return { body, payer, signal: AbortSignal.timeout(10_000) } as unknown as StorageCall
}

test.each([
  ['the hub is away', async () => refuse('hub_unavailable', 'The hub is away.')],
  ['waiting for the hub fails', () => Promise.reject(new Error('the disk is full'))],
])('when %s, the next body has the room of the one before', async (_, notLinked) => {
  const root = mkdtempSync(join(tmpdir(), 'latchkey-receive-'))
  onTestFinished(() => rmSync(root, { recursive: true, force: true }))
  let whenLinked: Parameters<typeof uploadReceiver>[2] = notLinked
  // Room for one body at a time.
  const inFlight = { ofAccount: 1000, quota: {} }
  const receive = uploadReceiver(diskObjects({ kind: 'disk', folder: root }), inFlight, () =>
    whenLinked(),
  )
  await receive(asked(), kind).catch(() => {})
  expect(readdirSync(join(root, 'drafts'))).toEqual([])
  whenLinked = async () => undefined
  expect(isRefusal(await receive(asked(), kind))).toBe(false)
})
