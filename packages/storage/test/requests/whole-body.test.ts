import { isRefusal } from '@latchkey/protocol'
import { shares } from '@latchkey/service/limits/shares'
import { expect, test } from 'vitest'
import type { StorageCall } from '../../src/request/asked.ts'
import { withWholeBody } from '../../src/request/whole-body.ts'

const mebibyte = 1024 * 1024

function asked(bytes: number, length: number | undefined = bytes): StorageCall {
  const body = {
    stream: (async function* () {
      yield Buffer.alloc(bytes)
    })(),
    length,
  }
  const { signal } = new AbortController()
  return { body, signal, payer: { account: 'ada', repositoryUid: 'r' } } as unknown as StorageCall
}

const bounds = (max: number) => {
  const bodyRoom = shares({ max, maxWaiting: 0 })
  return { bodyRoom, maxBytes: mebibyte, name: 'list of files' }
}

test('bodies of all requests together hold no more bytes than there is room for', async () => {
  const two = bounds(2 * mebibyte)
  const ended = Promise.withResolvers<number>()
  const held = [1, 2].map(() => withWholeBody(asked(mebibyte), two, () => ended.promise))
  expect(await withWholeBody(asked(mebibyte), two, () => 1)).toMatchObject({
    code: 'rate_limited',
  })
  // A short one is not counted.
  expect(await withWholeBody(asked(1024), two, () => 1)).toBe(1)
  ended.resolve(2)
  expect(await Promise.all(held)).toEqual([2, 2])
  expect(await withWholeBody(asked(mebibyte), two, () => 1)).toBe(1)
  expect(two.bodyRoom.held()).toBe(0)
})

test.each([
  ['announced', mebibyte + 1],
  ['in chunks', undefined],
])('a body that is too long is refused, %s', async (_, length) => {
  const answer = await withWholeBody(asked(mebibyte + 1, length), bounds(4 * mebibyte), () => 1)
  expect(isRefusal(answer) && answer).toMatchObject({
    code: 'body_too_large',
    detail: 'A list of files may have at most 1048576 bytes. Send it in smaller parts.',
  })
})
