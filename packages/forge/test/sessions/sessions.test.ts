/** How long a session lasts, and how many there are. */

import { Secret, unixSeconds } from '@latchkey/protocol'
import { pooledRandom } from '@latchkey/service/machine/random'
import { expect, test } from 'vitest'
import { openSessions, pastedToken } from '../../src/sessions/sessions.ts'

function world(maxSessions = 100) {
  let now = 1_800_000_000
  const sessions = openSessions({
    ...{ clock: () => unixSeconds(now), randomBytes: pooledRandom(), maxSessions },
  })
  const open = (token: string) => sessions.open(new Secret('hub-token', token), token)
  return { sessions, open, pass: (seconds: number) => (now += seconds) }
}

test('a session ends after two hours, however it is used', () => {
  const { sessions, open, pass } = world()
  const value = open('lk_a')
  for (let minutes = 0; minutes < 119; minutes += 7) {
    expect(sessions.find(value)?.authorization()).toEqual(['Bearer lk_a'])
    pass(7 * 60)
  }
  pass(60)
  expect(sessions.find(value)).toBeUndefined()
})

test('a session that was ended, or that nobody opened, is none', () => {
  const { sessions, open } = world()
  const [value, other] = [open('lk_a'), open('lk_b')]
  sessions.end(value)
  expect(sessions.find(value)).toBeUndefined()
  expect(sessions.find('A'.repeat(43))).toBeUndefined()
  expect(sessions.find(undefined)).toBeUndefined()
  expect(sessions.find(other)?.account).toBe('lk_b')
})

test('a hub token has eight sessions, and a ninth ends its first and no other one', () => {
  const { sessions, open } = world()
  const other = open('lk_b')
  const values = Array.from({ length: 9 }, () => open('lk_a'))
  expect(values.map((value) => sessions.find(value) !== undefined)).toEqual([
    false,
    ...Array(8).fill(true),
  ])
  expect(sessions.find(other)).toBeDefined()
})

test('there are so many sessions at most: the oldest ends for one more', () => {
  const { sessions, open } = world(3)
  const values = ['lk_a', 'lk_b', 'lk_c', 'lk_d'].map(open)
  expect(values.map((value) => sessions.find(value)?.account)).toEqual([
    ...[undefined, 'lk_b', 'lk_c', 'lk_d'],
  ])
})

test.each(['', ' ', 'a b', 'a\nb', 'ä', 'x'.repeat(513)])('%j is no hub token', (text) => {
  expect(pastedToken(text)).toBeUndefined()
})
