/** Shards on their way in: one at a time for an account, and none left behind. */

import { mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { isRefusal } from '@latchkey/protocol'
import { makeShard } from '@latchkey/testing/xet/making'
import { expect, onTestFinished, test } from 'vitest'
import { diskObjects } from '../../src/objects/open-objects.ts'
import type { StorageCall } from '../../src/request/asked.ts'
import { uploadReceiver } from '../../src/request/receive-upload.ts'
import type { CheckShard } from '../../src/shards/shard-checker.ts'
import { shardSlots } from '../../src/shards/shard-slots.ts'
import { isLarge } from '../../src/shards/shard-work.ts'
import { shardUploads } from '../../src/shards/upload-shard.ts'

/** Uploads whose shards are checked as the test says, or never. */
function uploadsWith(checkShard: CheckShard) {
  const root = mkdtempSync(join(tmpdir(), 'latchkey-shard-'))
  onTestFinished(() => rmSync(root, { recursive: true, force: true }))
  const objects = diskObjects({ kind: 'disk', folder: root })
  const receiveUpload = uploadReceiver(
    objects,
    { ofAccount: 1_000_000, quota: {} },
    async () => undefined,
  )
  const catalog = { addFiles: async () => true }
  const parts = {
    catalog,
    checkShard,
    receiveUpload,
    slots: shardSlots(),
    hasher: { hashLater() {} },
  }
  return { ...shardUploads(parts), drafts: join(root, 'drafts') }
}

function askedBy(account: string, repositoryUid: string, shard: Buffer): StorageCall {
  const body = { stream: Readable.from([shard]), length: shard.length }
  const { signal } = new AbortController()
  const view = { repositoryUid, refs: undefined }
  return { body, signal, view, payer: { account, repositoryUid } } as unknown as StorageCall
}

const nothing = { files: [], xorbs: [], chunks: [], claimed: [] }
const unused = 'unused' as never

/** Uploads that never end, or end when their folder is gone with the test. */
function forget(uploading: Promise<unknown>): void {
  uploading.catch(() => {})
}

// conformance: Attacks / 37. An attacker uses many repositories to take the capacity of others
test('the shards of one account are checked one at a time, in whatever repositories; others go on', async () => {
  const looked: string[] = []
  const { v1 } = uploadsWith(async function* (_size, _file, { view }) {
    looked.push(view.repositoryUid)
    return new Promise(() => {})
  })
  const shard = makeShard({ files: [] })
  for (const repository of ['one', 'two', 'three', 'four', 'five']) {
    forget(v1(askedBy('greedy', repository, shard), unused))
  }
  await expect.poll(() => looked).toHaveLength(1)
  forget(v1(askedBy('modest', 'another', shard), unused))
  await expect.poll(() => looked.slice(1)).toEqual(['another'])
})

test('large shards of many accounts keep no small one out, also not one of their own account', async () => {
  const begun: string[] = []
  const { v1 } = uploadsWith(async function* (size, _file, { view }) {
    const { repositoryUid } = view
    if (repositoryUid.startsWith('small')) return nothing
    if (size === 'small') return isLarge
    begun.push(repositoryUid)
    return new Promise(() => {})
  })
  const shard = makeShard({ files: [] })
  for (const account of ['one', 'two', 'three', 'four', 'five']) {
    forget(v1(askedBy(account, account, shard), unused))
  }
  await expect.poll(() => begun).toHaveLength(4)
  for (const account of ['modest', 'one']) {
    const reply = await v1(askedBy(account, `small of ${account}`, shard), unused)
    expect(reply).toMatchObject({ status: 200, body: '{"result":1}' })
  }
  expect(begun).toHaveLength(4)
})

test('a shard whose sender goes away before it is told anything leaves no draft behind', async () => {
  const { v2, ...uploads } = uploadsWith(() => {
    throw new Error('nobody asks for it')
  })
  const drafts = () => readdirSync(uploads.drafts)
  const reply = await v2(askedBy('account', 'repository', makeShard({ files: [] })), unused)
  if (isRefusal(reply) || !(reply.body instanceof Readable)) throw new Error('it is told of')
  expect(drafts()).toHaveLength(1)
  reply.body.destroy()
  await expect.poll(drafts).toEqual([])
})
