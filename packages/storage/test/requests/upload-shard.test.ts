/** Shards on their way in: one at a time for an account, and none left behind. */

import { mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { isRefusal } from '@latchkey/protocol'
import { pooledRandom } from '@latchkey/service/random'
import { makeFile, makeShard, makeXorb, randomChunks } from '@latchkey/testing/xet/making'
import { expect, onTestFinished, test } from 'vitest'
import { defaultShardCaps } from '../../src/bounds/shard-caps.ts'
import type { Catalog } from '../../src/catalog/catalog.ts'
import { diskStore } from '../../src/objects/disk-store.ts'
import type { Asked } from '../../src/requests/asked.ts'
import { uploadReceiver } from '../../src/requests/receive-upload.ts'
import { shardUploads } from '../../src/requests/upload-shard.ts'

/** Uploads whose catalog is asked for nothing, or for what the test gives. */
function uploadsWith(catalog: Partial<Catalog>) {
  const root = mkdtempSync(join(tmpdir(), 'latchkey-shard-'))
  onTestFinished(() => rmSync(root, { recursive: true, force: true }))
  const objects = diskStore(root, pooledRandom())
  const receiveUpload = uploadReceiver(objects, { ofAccount: 1_000_000, quota: {} })
  const checking = { catalog: catalog as Catalog, objects, caps: defaultShardCaps }
  return { ...shardUploads({ ...checking, receiveUpload }), drafts: join(root, 'drafts') }
}

function askedBy(account: string, repositoryUid: string, shard: Buffer): Asked {
  const body = { stream: Readable.from([shard]), length: shard.length }
  const { signal } = new AbortController()
  const view = { repositoryUid, refs: undefined }
  return { body, signal, view, payer: { account, repositoryUid } } as unknown as Asked
}

const unused = 'unused' as never

test('the shards of one account are checked one at a time, in whatever repositories; others go on', async () => {
  const looked: string[] = []
  const { v1 } = uploadsWith({
    findXorbs({ repositoryUid }) {
      looked.push(repositoryUid)
      return new Promise(() => {})
    },
  })
  const xorb = makeXorb(randomChunks('named', 2))
  const shard = makeShard({ files: [makeFile([{ xorb }])] })
  for (const repository of ['one', 'two', 'three', 'four', 'five']) {
    void v1(askedBy('greedy', repository, shard), unused)
  }
  await expect.poll(() => looked).toHaveLength(1)
  void v1(askedBy('modest', 'another', shard), unused)
  await expect.poll(() => looked.slice(1)).toEqual(['another'])
})

test('a shard whose sender goes away before it is told anything leaves no draft behind', async () => {
  const { v2, ...uploads } = uploadsWith({})
  const drafts = () => readdirSync(uploads.drafts)
  const reply = await v2(askedBy('account', 'repository', makeShard({ files: [] })), unused)
  if (isRefusal(reply) || !(reply.body instanceof Readable)) throw new Error('it is told of')
  expect(drafts()).toHaveLength(1)
  reply.body.destroy()
  await expect.poll(drafts).toEqual([])
})
