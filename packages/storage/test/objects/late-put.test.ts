/** Stores whose conditions let a client replace an object give no grants. */

import { buffer } from 'node:stream/consumers'
import { expect, test } from 'vitest'
import { isReplacedLate } from '../../src/objects/s3/probe-late-put.ts'
import type { S3Client } from '../../src/objects/s3/s3-client.ts'

/** In memory; it looks whether there is an object when a transfer begins, or when it ends. */
function storeThatLooks(when: 'first' | 'last'): Pick<S3Client, 'put'> {
  const objects = new Map<string, Uint8Array>()
  return {
    async put(key, body) {
      if (when === 'first' && objects.has(key)) return 'exists'
      const bytes = body instanceof Uint8Array ? body : await buffer(body.open())
      if (when === 'last' && objects.has(key)) return 'exists'
      objects.set(key, bytes)
      return { etag: '"x"' }
    },
  }
}

test.each([
  ['first', true],
  ['last', false],
] as const)('a store that looks at its condition %s', async (when, isReplaced) => {
  expect(await isReplacedLate(storeThatLooks(when), 'key')).toBe(isReplaced)
})

test('a transfer that fails is no answer', async () => {
  const failing = { put: () => Promise.reject(new Error('unavailable')) }
  await expect(isReplacedLate(failing, 'key')).rejects.toThrow('unavailable')
})
