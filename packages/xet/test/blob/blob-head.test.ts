import fc from 'fast-check'
import { expect, it } from 'vitest'
import { maxHeadBytes, readBlobHead } from '../../src/blob/blob-head.ts'

const plain = 'HTTP/1.1 206 Partial Content\r\nContent-Length: 12\r\nX-Any: thing\r\n\r\n'

it('a head in the plain form says where the body begins and how long it is', () => {
  expect(readBlobHead(Buffer.from(`${plain}body`))).toEqual({
    ...{ length: plain.length, status: 206, contentLength: 12, keepsAlive: true },
  })
})

it('a part of a head is waited for, whatever the part', () => {
  for (let end = 0; end < plain.length; end += 1) {
    expect(readBlobHead(Buffer.from(plain.slice(0, end)))).toBeUndefined()
  }
})

it.each([
  ['another version', plain.replace('1.1', '1.0')],
  ['no length', plain.replace('Content-Length', 'X-Length')],
  ['a length with a sign', plain.replace('12', '+12')],
  ['a length in two ways', plain.replace('12', '12, 13')],
  ['two lengths', plain.replace('X-Any: thing', 'content-length: 12')],
  ['chunks', plain.replace('X-Any: thing', 'Transfer-Encoding: chunked')],
  ['a header over two lines', plain.replace('X-Any: thing', 'X-Any: thing\r\n more')],
  ['a space before the colon', plain.replace('Length:', 'Length :')],
  ['a bare line feed', plain.replace('\r\nX-Any', '\nX-Any')],
  ['a control character', plain.replace('thing', 'th\0ing')],
  ['an interim status', plain.replace('206', '103')],
])('%s is left to the full parser', (_, head) => {
  expect(readBlobHead(Buffer.from(head))).toBe('other')
})

it('a head without an end is not waited for any longer than it may be', () => {
  const long = `HTTP/1.1 206 OK\r\nX: ${'a'.repeat(maxHeadBytes)}`
  expect(readBlobHead(Buffer.from(long))).toBe('other')
})

it('nothing that is sent makes it throw', () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 300 }), fc.nat(plain.length), (noise, at) => {
      const bytes = Buffer.concat([
        Buffer.from(plain.slice(0, at)),
        noise,
        Buffer.from(plain.slice(at)),
      ])
      const head = readBlobHead(bytes)
      if (head !== undefined && head !== 'other')
        expect(head.length).toBeLessThanOrEqual(bytes.length)
    }),
  )
})
