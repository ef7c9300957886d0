/** What one shard may make the storage look at. */

import { expect, it } from 'vitest'
import type { Catalog } from '../../src/catalog/catalog.ts'
import type { ObjectStore } from '../../src/objects/object-store.ts'
import { seenXorbs } from '../../src/requests/seen-xorbs.ts'

const caps = { files: 1, xorbs: 1, terms: 1, chunks: 100 }
const options = { catalog: {} as Catalog, objects: {} as ObjectStore, caps }
const view = { repositoryUid: 'repository', refs: undefined }

it('is refused beyond so many chunks, counted over all of its files', () => {
  const { spend } = seenXorbs(options, view, new AbortController().signal)
  expect(spend(99)).toBeUndefined()
  expect(spend(1)).toBeUndefined()
  expect(spend(1)?.refused).toBe('content_invalid')
})

it('ends when its client has gone', () => {
  const gone = new AbortController()
  const { spend } = seenXorbs(options, view, gone.signal)
  gone.abort(new Error('gone'))
  expect(() => spend(1)).toThrow('gone')
})
