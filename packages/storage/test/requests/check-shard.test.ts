/** The check of a shard ends with its client. */

import { asRepositoryUid } from '@latchkey/protocol'
import { makeFile, makeShard } from '@latchkey/testing/xet/making'
import { expect, test } from 'vitest'
import { defaultShardCaps } from '../../src/bounds/shard-caps.ts'
import type { Catalog } from '../../src/catalog/catalog.ts'
import type { DraftId } from '../../src/objects/object-store.ts'
import { checkShard } from '../../src/shards/check-shard.ts'

/** Files without runs have nothing to look up: no wait for the catalog ends the work. */
function checkEmptyFiles(count: number, signal: AbortSignal) {
  const shard = makeShard({ files: Array.from({ length: count }, () => makeFile([])) })
  const objects = {
    sizeOf: async () => 1,
    table: () => Promise.reject(new Error('there is no table')),
    async *readDraft() {
      yield shard
    },
  }
  const catalog = { findXorbs: async () => new Map() } as unknown as Catalog
  const caps = defaultShardCaps
  const checking = { catalog, objects, caps, maxTerms: caps.terms }
  const view = { repositoryUid: asRepositoryUid('repository'), refs: undefined }
  return checkShard(checking, { view, signal }, 'draft' as DraftId)
}

// conformance: Attacks / 38. An attacker blocks the database writer with one request
test('files without runs are given up when the client has gone', async () => {
  const gone = new AbortController()
  const checking = checkEmptyFiles(300, gone.signal)
  await checking.next()
  gone.abort(new Error('gone'))
  const rest = async () => {
    for (let told = await checking.next(); !told.done; ) told = await checking.next()
  }
  await expect(rest()).rejects.toThrow('gone')
})
