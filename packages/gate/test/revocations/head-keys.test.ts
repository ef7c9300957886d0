/** Which keys may sign a head: a leaked one is out at once, and leaves no gate deaf. */

import { journalNumber } from '@latchkey/protocol'
import { away, type FollowedHub, heardFromHub, stateOf } from '@latchkey/testing/gate/followed-hub'
import { headKey } from '@latchkey/testing/gate/published-revocations'
import { startOfTime } from '@latchkey/testing/gate/storage-tokens'
import { forEver } from '@latchkey/token'
import { generateSigningKey } from '@latchkey/token/signing'
import { describe, expect, test } from 'vitest'

const newKey = await generateSigningKey('ES256')
const aDayAhead = journalNumber((startOfTime + 24 * 3600) * 1000)

/** Whether a head that is signed now with the key is taken, and so shows as no older than its question. */
async function isTaken({ hub, wire, source }: FollowedHub, key = headKey): Promise<boolean> {
  const { head } = wire
  wire.head = () => hub.head({ seq: hub.advance() }, key)
  await source.refresh()
  wire.head = head
  return source.latest()?.ageSeconds() === 0
}

describe('keys are asked for', () => {
  test('at the first question, and again once they are a minute old', async () => {
    const { source, asked, pass } = await heardFromHub()
    const countKeys = () => asked.filter((document) => document === 'keys').length
    for (let seconds = 0; seconds < 55; seconds += 5) {
      pass(5)
      await source.refresh()
    }
    expect(countKeys()).toBe(1)
    pass(5)
    await source.refresh()
    expect(countKeys()).toBe(2)
  })

  test('when a head names one that the gate does not have, so that a new key works at once', async () => {
    const followed = await heardFromHub()
    followed.hub.useKeys(newKey, headKey)
    followed.pass(5)
    expect(await isTaken(followed, newKey)).toBe(true)
    expect(followed.asked.filter((document) => document === 'keys')).toHaveLength(2)
  })

  test('once in a question, whatever the head names', async () => {
    const followed = await heardFromHub()
    followed.wire.head = () => followed.hub.head({}, newKey)
    for (let count = 0; count < 3; count += 1) await followed.source.refresh()
    expect(followed.asked.filter((document) => document === 'keys')).toHaveLength(1 + 3)
  })

  test('and while they cannot be confirmed, no head counts', async () => {
    const followed = await heardFromHub()
    followed.wire.keys = away
    followed.pass(55)
    expect(await isTaken(followed)).toBe(true)
    followed.pass(5)
    expect(await isTaken(followed)).toBe(false)
  })
})

describe('a key that the hub withdraws', () => {
  test('signs no head any more after a minute', async () => {
    const followed = await heardFromHub()
    followed.hub.useKeys(newKey)
    followed.pass(59)
    expect(await isTaken(followed, headKey)).toBe(true)
    followed.pass(1)
    expect(await isTaken(followed, headKey)).toBe(false)
  })

  test('takes what it has signed with it', async () => {
    const followed = await heardFromHub()
    followed.hub.useKeys(newKey)
    followed.wire.list = away
    followed.hub.cut({ kind: 'account', id: 'x' })
    await followed.source.refresh()
    expect(stateOf(followed)).toBe('over')
  })

  test('cannot leave a gate deaf with a number far ahead', async () => {
    const followed = await heardFromHub()
    const { hub, wire, source } = followed
    const { head } = wire
    wire.head = () => hub.head({ seq: aDayAhead }, headKey)
    await source.refresh()
    wire.head = head
    followed.pass(5)
    await source.refresh()
    expect(source.latest()?.seq).toBe(aDayAhead)
    hub.useKeys(newKey)
    hub.cut({ kind: 'key', id: headKey.kid }, forEver)
    const seq = hub.advance()
    await source.refresh()
    expect(source.latest()?.seq).toBe(seq)
    expect(stateOf(followed)).toBe('current')
  })

  test('cannot leave a gate deaf by cutting off the key that comes after it', async () => {
    const followed = await heardFromHub()
    const { hub, source } = followed
    hub.useKeys(headKey, newKey)
    hub.cut({ kind: 'key', id: newKey.kid }, forEver)
    await source.refresh()
    expect(source.latest()?.list.size).toBe(1)
    followed.pass(5)
    expect(await isTaken(followed, newKey)).toBe(false)
    hub.useKeys(newKey)
    followed.wire.list = () => Buffer.alloc(0)
    followed.wire.head = () =>
      hub.head({ seq: hub.advance(), list: '47DEQpj8HBSa-_TImW-5JCeuQeRkm5NMpJWZG3hSuFU' }, newKey)
    await source.refresh()
    expect(followed.source.latest()?.list.size).toBe(0)
    expect(stateOf(followed)).toBe('current')
  })
})

describe('a list that cuts off a key of heads', () => {
  test('ends the trust in it at once, while the gate still has it among the published ones', async () => {
    const followed = await heardFromHub()
    const { hub, source } = followed
    hub.useKeys(newKey, headKey)
    hub.cut({ kind: 'key', id: headKey.kid }, forEver)
    hub.advance()
    await source.refresh()
    expect(stateOf(followed)).toBe('current')
    followed.pass(5)
    expect(await isTaken(followed, headKey)).toBe(false)
    expect(await isTaken(followed, newKey)).toBe(true)
  })

  test('is not believed where that key has signed its own head', async () => {
    const { hub, source, failures } = await heardFromHub()
    const before = source.latest()?.list
    hub.cut({ kind: 'key', id: headKey.kid }, forEver)
    await source.refresh()
    expect(source.latest()?.list).toBe(before)
    expect(failures).toHaveLength(1)
  })

  test('does nothing where the gate does not know the key', async () => {
    const followed = await heardFromHub()
    followed.hub.cut({ kind: 'key', id: 'of-another-hub' }, forEver)
    expect(await isTaken(followed)).toBe(true)
  })
})
