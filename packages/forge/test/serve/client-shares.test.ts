/** One client never has all git processes that stream. */

import type { IncomingMessage } from 'node:http'
import { expect, test } from 'vitest'
import { clientShares } from '../../src/http/client-shares.ts'

const from = (authorization: string | undefined, remoteAddress = '127.0.0.1') =>
  ({
    rawHeaders: authorization === undefined ? [] : ['Authorization', authorization],
    socket: { remoteAddress },
  }) as IncomingMessage
const { signal } = new AbortController()

test('a client waits behind itself, and another one does not', async () => {
  const take = clientShares(2)
  const [first] = await Promise.all([
    take(from('Bearer a'), signal),
    take(from('Bearer a'), signal),
  ])
  let began = ''
  const third = take(from('Bearer a'), signal).then(() => {
    began += 'a'
  })
  await take(from('Bearer b'), signal)
  await take(from(undefined), signal)
  await new Promise((resolve) => setImmediate(resolve))
  expect(began).toBe('')
  first?.()
  await third
  expect(began).toBe('a')
})

test('a client that has gone waits no more, and leaves its place to the next', async () => {
  const take = clientShares(1)
  const release = await take(from('Bearer a'), signal)
  const leaving = new AbortController()
  const gone = take(from('Bearer a'), leaving.signal)
  leaving.abort()
  await expect(gone).rejects.toThrow()
  const next = take(from('Bearer a'), signal)
  release()
  expect(typeof (await next)).toBe('function')
})

test('a client of git stays one client, whatever its user name', async () => {
  const take = clientShares(1)
  const basic = (user: string) => `Basic ${Buffer.from(`${user}:a`).toString('base64')}`
  const release = await take(from(basic('one')), signal)
  const began: string[] = []
  const others = [basic('two'), 'Bearer a', 'bearer  a'].map((authorization) =>
    take(from(authorization), signal).then((next) => {
      began.push(authorization)
      next()
    }),
  )
  await new Promise((resolve) => setImmediate(resolve))
  expect(began).toEqual([])
  release()
  await Promise.all(others)
})
