/** What one shard may make the storage look at. */

import { expect, it } from 'vitest'
import type { Catalog } from '../../src/catalog/catalog.ts'
import type { ObjectStore } from '../../src/objects/object-store.ts'
import { mostChunksSeen, seenXorbs } from '../../src/requests/seen-xorbs.ts'

const nothing = { catalog: {} as Catalog, objects: {} as ObjectStore }
const view = { repositoryUid: 'repository', refs: undefined }

it('is refused beyond so many chunks, counted over all of its parts', () => {
  const { spend } = seenXorbs(nothing, view, new AbortController().signal)
  expect(spend(mostChunksSeen - 1)).toBeUndefined()
  expect(spend(1)).toBeUndefined()
  expect(spend(1)?.refused).toBe('content_invalid')
})

it('ends when its client has gone', () => {
  const gone = new AbortController()
  const { spend } = seenXorbs(nothing, view, gone.signal)
  gone.abort(new Error('gone'))
  expect(() => spend(1)).toThrow('gone')
})
