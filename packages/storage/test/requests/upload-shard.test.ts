import { mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { isRefusal } from '@latchkey/protocol'
import { pooledRandom } from '@latchkey/service/random'
import { expect, onTestFinished, test } from 'vitest'
import { defaultShardCaps } from '../../src/bounds/shard-caps.ts'
import type { Catalog } from '../../src/catalog/catalog.ts'
import { diskStore } from '../../src/objects/disk-store.ts'
import type { Asked } from '../../src/requests/asked.ts'
import { shardUploads } from '../../src/requests/upload-shard.ts'
import { makeShard } from '../making.ts'

test('a shard whose sender goes away before it is told anything leaves no draft behind', async () => {
  const root = mkdtempSync(join(tmpdir(), 'latchkey-shard-'))
  onTestFinished(() => rmSync(root, { recursive: true, force: true }))
  const drafts = () => readdirSync(join(root, 'drafts'))
  // Nothing is looked up: the shard names nothing.
  const objects = diskStore(root, pooledRandom())
  const { v2 } = shardUploads({ catalog: {} as Catalog, objects, caps: defaultShardCaps })
  const shard = makeShard({ files: [] })
  const body = { stream: Readable.from([shard]), length: shard.length }
  const reply = await v2({ body } as unknown as Asked, 'unused' as never)
  if (isRefusal(reply) || !(reply.body instanceof Readable)) throw new Error('it is told of')
  expect(drafts()).toHaveLength(1)
  reply.body.destroy()
  await expect.poll(drafts).toEqual([])
})
