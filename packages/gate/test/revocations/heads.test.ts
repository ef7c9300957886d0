/** A head of the hub's revocations counts for as long as it says, and no other answer counts for longer. */

import { journalNumber, unixSeconds } from '@latchkey/protocol'
import {
  away,
  type FollowedHub,
  followHub,
  heardFromHub,
  stateOf,
} from '@latchkey/testing/gate/followed-hub'
import { headKey } from '@latchkey/testing/gate/published-revocations'
import { issuer, signingKey, startOfTime } from '@latchkey/testing/gate/storage-tokens'
import { cutOffLifeSeconds } from '@latchkey/token'
import { generateSigningKey } from '@latchkey/token/signing'
import { describe, expect, test } from 'vitest'

const account = { kind: 'account', id: 'ada-id' } as const
const otherKey = await generateSigningKey('ES256')

test('there is no snapshot before the first answer', () => {
  expect(followHub().source.latest()).toBeUndefined()
})

test('a first answer without cut-offs is a snapshot, too', async () => {
  const followed = await heardFromHub()
  expect(stateOf(followed)).toBe('current')
  expect(followed.source.latest()?.list.size).toBe(0)
  expect(followed.source.latest()?.seq).toBe(startOfTime * 1000)
  expect(followed.failures).toEqual([])
})

describe('the snapshot of a hub that has fallen silent', () => {
  test('is late after the normal bound, and over after a minute, to the second', async () => {
    const followed = await heardFromHub()
    followed.wire.head = away
    const { source, pass } = followed
    expect(source.bounds).toEqual({ normalSeconds: 9, withheldSeconds: 60 })
    pass(8.5)
    expect(stateOf(followed)).toBe('current')
    pass(0.5)
    expect(stateOf(followed)).toBe('late')
    pass(50.5)
    expect(stateOf(followed)).toBe('late')
    pass(0.5)
    expect(stateOf(followed)).toBe('over')
  })

  test('is over by the time that has passed, also when the clock was set back', async () => {
    const followed = await heardFromHub()
    followed.clock.pass(-3600)
    followed.stopwatch.pass(59)
    expect(stateOf(followed)).not.toBe('over')
    followed.stopwatch.pass(1)
    expect(stateOf(followed)).toBe('over')
  })

  test('is over by the clock, also when the stopwatch slept with the machine', async () => {
    const followed = await heardFromHub()
    followed.clock.pass(30)
    expect(stateOf(followed)).toBe('late')
    followed.clock.pass(30)
    expect(stateOf(followed)).toBe('over')
  })

  test('is over at exp by the gate’s own clock, without leeway, where that is ahead', async () => {
    const followed = followHub()
    followed.wire.head = () => followed.hub.head({ iat: at(-25), exp: at(35) })
    await followed.source.refresh()
    followed.pass(34)
    expect(stateOf(followed)).toBe('late')
    followed.pass(1)
    expect(stateOf(followed)).toBe('over')
  })

  test('counts from the moment the question was sent, not from its answer', async () => {
    const followed = followHub()
    const { hub, wire, source, stopwatch, clock } = followed
    const head = hub.head()
    wire.head = () => {
      stopwatch.pass(3)
      return head
    }
    await source.refresh()
    expect(source.latest()?.ageSeconds()).toBe(3)
    clock.pass(-100)
    stopwatch.pass(57)
    expect(stateOf(followed)).toBe('over')
  })
})

/** Answers after which a gate is exactly where it was. */
const ignored: Record<string, (followed: FollowedHub, firstHead: string) => void> = {
  'no head at all': ({ wire }) => {
    wire.head = away
  },
  'a page of HTML': ({ wire }) => {
    wire.head = () => '<!doctype html>'
  },
  'a head with a lower number': ({ wire, hub }) => {
    wire.head = () => hub.head({ seq: journalNumber(startOfTime * 1000 - 1) })
  },
  'a head of another issuer': ({ wire, hub }) => {
    wire.head = () => hub.head({ iss: 'https://other.example' })
  },
  'a head that was signed in the future': ({ wire, hub, clock }) => {
    const iat = unixSeconds(clock.now() + 31)
    wire.head = () => hub.head({ iat, exp: unixSeconds(iat + 60) })
  },
  'a head that is over already': ({ wire, hub, clock }) => {
    wire.head = () => hub.head({ iat: at(1), exp: clock.now() })
  },
  'a head that would live for 61 seconds': ({ wire, hub, clock }) => {
    wire.head = () => hub.head({ exp: unixSeconds(clock.now() + 61) })
  },
  'a head whose number is more than a day ahead': ({ wire, hub, clock }) => {
    const seq = journalNumber((clock.now() + 24 * 3600) * 1000 + 1)
    wire.head = () => hub.head({ seq })
  },
  'a head with the number 2^53 - 1': ({ wire, hub }) => {
    wire.head = () => hub.head({ seq: journalNumber(Number.MAX_SAFE_INTEGER) })
  },
  'a head signed with a key that is not published': ({ wire, hub }) => {
    wire.head = () => hub.head({}, otherKey)
  },
  'a head signed with the key of storage tokens': ({ wire, hub }) => {
    wire.head = () => hub.head({}, signingKey)
  },
  'a head whose signature is of another one': ({ wire, hub }, firstHead) => {
    const [header, payload] = hub.head().split('.')
    wire.head = () => [header, payload, firstHead.split('.')[2]].join('.')
  },
  'a list that is not there': ({ wire }) => {
    wire.list = away
  },
  'a list that is another one': ({ wire }) => {
    wire.list = () => Buffer.alloc(40)
  },
  'a list that was cut': ({ wire, hub }) => {
    wire.list = (hash) => (hub.list(hash) ?? Buffer.alloc(0)).subarray(0, 39)
  },
}

describe('nothing changes, and nothing counts for longer, after', () => {
  test.each(Object.entries(ignored))('%s', async (_, interfere) => {
    const followed = followHub()
    const { hub, source, pass, failures } = followed
    const first = hub.head()
    await source.refresh()
    const before = source.latest()
    pass(30)
    hub.cut(account)
    interfere(followed, first)
    await source.refresh()
    expect(source.latest()?.list).toBe(before?.list)
    expect(source.latest()?.seq).toBe(before?.seq)
    expect(source.latest()?.ageSeconds()).toBe(30)
    expect(failures).toHaveLength(1)
    pass(29.5)
    expect(stateOf(followed)).toBe('late')
    pass(0.5)
    expect(stateOf(followed)).toBe('over')
  })

  test('the last head once more: it is no sign that the hub has taken nothing back since', async () => {
    const followed = followHub()
    const head = followed.hub.head()
    followed.wire.head = () => head
    for (let seconds = 0; seconds < 55; seconds += 5) {
      await followed.source.refresh()
      expect(stateOf(followed)).toBe('current')
      followed.pass(5)
    }
    await followed.source.refresh()
    followed.pass(5)
    expect(stateOf(followed)).toBe('over')
    await followed.source.refresh()
    expect(stateOf(followed)).toBe('over')
  })

  test('a head with the same number that was signed earlier', async () => {
    const followed = followHub()
    const { hub, wire, source, pass } = followed
    const older = hub.head({ iat: at(-1), exp: at(59) })
    await source.refresh()
    pass(30)
    wire.head = () => older
    await source.refresh()
    pass(28.5)
    expect(stateOf(followed)).toBe('late')
    pass(1.5)
    expect(stateOf(followed)).toBe('over')
  })

  test('a head that is repeated when the clock was set back', async () => {
    const followed = followHub()
    const head = followed.hub.head()
    followed.wire.head = () => head
    await followed.source.refresh()
    followed.stopwatch.pass(59)
    await followed.source.refresh()
    followed.stopwatch.pass(1)
    expect(stateOf(followed)).toBe('over')
  })
})

describe('a newer head counts', () => {
  test.each([
    ['with a higher number, though it was signed earlier by another clock', 1, -20],
    ['with the same number, signed later', 0, 20],
  ])('%s', async (_, numbers, seconds) => {
    const followed = await heardFromHub()
    const { hub, wire, source, pass } = followed
    pass(20)
    const seq = journalNumber(startOfTime * 1000 + numbers)
    wire.head = () => hub.head({ seq, iat: at(20 + seconds - 20), exp: at(60 + seconds) })
    await source.refresh()
    expect(source.latest()?.seq).toBe(seq)
    expect(source.latest()?.ageSeconds()).toBe(0)
    pass(39 + seconds)
    expect(stateOf(followed)).toBe('late')
    pass(1)
    expect(stateOf(followed)).toBe('over')
  })

  test('up to a day ahead of the clock, and so far ahead that bulk changes can bring it', async () => {
    const followed = await heardFromHub()
    const { hub, wire, source } = followed
    const seq = journalNumber((startOfTime + 24 * 3600) * 1000)
    wire.head = () => hub.head({ seq })
    await source.refresh()
    expect(source.latest()?.seq).toBe(seq)
  })

  test('and its list is fetched only where it is another one', async () => {
    const { hub, source, pass, asked } = await heardFromHub()
    const before = source.latest()?.list
    pass(10)
    hub.advance()
    await source.refresh()
    expect(source.latest()?.list).toBe(before)
    hub.cut(account)
    await source.refresh()
    await source.refresh()
    expect(source.latest()?.list.size).toBe(1)
    expect(asked).toEqual(['head', 'keys', 'list', 'head', 'head', 'list', 'head'])
  })

  test('also if it has shed what can hit no living token, at the same number', async () => {
    const followed = await heardFromHub()
    const { hub, wire, source, pass } = followed
    hub.cut(account)
    await source.refresh()
    const seq = source.latest()?.seq ?? journalNumber(0)
    const empty = (await heardFromHub()).hub
    const later = cutOffLifeSeconds + 1
    pass(later)
    wire.head = () => empty.head({ seq, iat: at(later), exp: at(later + 60) })
    wire.list = (hash) => empty.list(hash) ?? away()
    await source.refresh()
    expect(source.latest()?.list.size).toBe(0)
  })
})

describe('a head with the leeway of a gate', () => {
  test('may be signed as far ahead as the clocks may differ', async () => {
    const followed = followHub()
    followed.wire.head = () => followed.hub.head({ iat: at(30), exp: at(90) })
    await followed.source.refresh()
    expect(stateOf(followed)).toBe('current')
    followed.pass(59.5)
    expect(stateOf(followed)).toBe('late')
    followed.pass(0.5)
    expect(stateOf(followed)).toBe('over')
  })
})

test('a reason is told once, and again after an answer or another reason', async () => {
  const { wire, hub, source, failures } = await heardFromHub()
  wire.head = away
  await source.refresh()
  await source.refresh()
  expect(failures).toHaveLength(1)
  wire.head = () => 'x'
  await source.refresh()
  expect(failures).toHaveLength(2)
  wire.head = () => hub.head()
  await source.refresh()
  wire.head = () => 'x'
  await source.refresh()
  expect(failures).toHaveLength(3)
})

test('the documents name one issuer, byte for byte', async () => {
  const followed = followHub()
  followed.wire.head = () => followed.hub.head({ iss: `${issuer}/` }, headKey)
  await followed.source.refresh()
  expect(stateOf(followed)).toBe('none')
})

function at(seconds: number) {
  return unixSeconds(startOfTime + seconds)
}
