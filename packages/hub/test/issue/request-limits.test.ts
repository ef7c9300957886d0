/** What a hub counts apart, and in which words it says that there was too much. */

import { asHubTokenId, refuse } from '@latchkey/protocol'
import { describe, expect, test } from 'vitest'
import { requestLimits } from '../../src/issue/request-limits.ts'

function limited(requestsPerMinute: number, failuresPerMinute = 0) {
  const limits = requestLimits({ requestsPerMinute, failuresPerMinute }, () => 0)
  return {
    ...limits,
    ask: (id: string) => limits.forHubToken(asHubTokenId(id)) === undefined,
    askWithoutName: (address: string) => limits.forAnonymous(address) === undefined,
    fail: (address: string) => limits.forFailure(address) === undefined,
  }
}

describe('a hub token beyond its limit is refused', () => {
  test('with the words and the wait that help', () => {
    const { forHubToken } = limited(2)
    forHubToken(asHubTokenId('one'))
    forHubToken(asHubTokenId('one'))
    expect(forHubToken(asHubTokenId('one'))).toEqual(
      refuse(
        'rate_limited',
        'This hub token has made more than 2 requests in a minute. Try again in 30 s.',
        { retryAfterSeconds: 30 },
      ),
    )
  })
})

describe('failures are counted per address', () => {
  test('apart from the requests of hub tokens', () => {
    const { ask, fail } = limited(1, 1)
    expect([ask('x'), fail('x'), ask('x'), fail('x')]).toEqual([true, true, false, false])
  })

  test('with words of their own', () => {
    const { forFailure } = limited(0, 3)
    for (let time = 0; time < 3; time += 1) forFailure('here')
    expect(forFailure('here')).toEqual(
      refuse(
        'rate_limited',
        'More than 3 requests in a minute from this address had no valid hub token. Try again in 20 s.',
        { retryAfterSeconds: 20 },
      ),
    )
    expect(forFailure('there')).toBeUndefined()
  })
})

describe('callers without a name are counted per address', () => {
  test('apart from hub tokens and from failures', () => {
    const { ask, askWithoutName, fail } = limited(1, 1)
    expect([ask('x'), fail('x'), askWithoutName('x')]).toEqual([true, true, true])
    expect(askWithoutName('x')).toBe(false)
    expect(askWithoutName('y')).toBe(true)
  })

  test('with words of their own', () => {
    const { forAnonymous } = limited(4)
    for (let time = 0; time < 4; time += 1) forAnonymous('here')
    expect(forAnonymous('here')).toEqual(
      refuse(
        'rate_limited',
        'More than 4 requests in a minute from this address had no hub token. Try again in 15 s.',
        { retryAfterSeconds: 15 },
      ),
    )
  })
})
