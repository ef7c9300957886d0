/** Shares of work: bounded in all, for each account and for each repository, and not for clients that have gone. */

import { isRefusal } from '@latchkey/protocol'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { type ShareLimits, shares } from '../../src/limits/shares.ts'

const { signal: stays } = new AbortController()

/** Takes shares for `account/repository`, and notes which have begun. */
function started(limits: Partial<ShareLimits>) {
  const held = shares({ max: Number.POSITIVE_INFINITY, ...limits })
  const begun: string[] = []
  const take = async (payer: string, { signal = stays, units = 1 } = {}) => {
    const [account = '', repository = ''] = payer.split('/')
    const release = await held.take({ account, repositoryUid: repository }, signal, units)
    if (isRefusal(release)) return release
    begun.push(payer)
    return release
  }
  return { begun, take }
}

const settled = () => new Promise((resolve) => setImmediate(resolve))
const end = (release: unknown) => {
  if (typeof release !== 'function') throw new Error('there is no share to give back')
  release()
}

describe('a share', () => {
  it('is waited for when there are as many as there may be, and comes when one ends', async () => {
    const { begun, take } = started({ max: 2 })
    const first = await take('a/1')
    await take('b/1')
    void take('c/1')
    await settled()
    expect(begun).toEqual(['a/1', 'b/1'])
    end(first)
    await settled()
    expect(begun).toEqual(['a/1', 'b/1', 'c/1'])
  })

  // conformance: Attacks / 37. An attacker uses many repositories to take the capacity of others
  it('of an account is one share, however many repositories the account has', async () => {
    const { begun, take } = started({ max: 10, maxOfAccount: 1 })
    const first = await take('greedy/1')
    for (let count = 2; count < 50; count += 1) void take(`greedy/${count}`)
    await take('modest/1')
    expect(begun).toEqual(['greedy/1', 'modest/1'])
    end(first)
    await settled()
    expect(begun).toEqual(['greedy/1', 'modest/1', 'greedy/2'])
  })

  it('comes at once to a request that displaces the one it would have waited for', async () => {
    const { begun, take } = started({ maxOfRepository: 2, maxWaiting: 2 })
    await take('a/1', { units: 2 })
    await take('a/2')
    void take('b/1', { units: 2 })
    const displaced = take('b/2', { units: 2 })
    await take('c/2')
    expect(begun).toEqual(['a/1', 'a/2', 'c/2'])
    expect(await displaced).toMatchObject({ code: 'rate_limited' })
  })

  // conformance: Attacks / 27. An attacker sends too much data, or the disk is full
  it('of a repository is waited for by its own writers, not by those of others', async () => {
    const { begun, take } = started({ maxOfRepository: 1 })
    await take('a/shared')
    void take('b/shared')
    await take('b/own')
    expect(begun).toEqual(['a/shared', 'b/own'])
  })

  // conformance: Attacks / 39. An attacker avoids quotas with running uploads, or detects other refs by them
  it('of an account in a repository keeps no other account out, nor the account out of others', async () => {
    const { begun, take } = started({ maxOfRepository: 100, maxOfAccountInRepository: 50 })
    await take('greedy/shared', { units: 30 })
    void take('greedy/shared', { units: 30 })
    await take('modest/shared', { units: 50 })
    await take('greedy/own', { units: 50 })
    expect(begun).toEqual(['greedy/shared', 'modest/shared', 'greedy/own'])
  })

  // conformance: Attacks / 39. An attacker avoids quotas with running uploads, or detects other refs by them
  it('that is large comes in its turn, however many small ones of others go on', async () => {
    const { begun, take } = started({ maxOfRepository: 100 })
    const held = await take('rival/shared')
    void take('writer/shared', { units: 100 })
    void take('rival/shared')
    void take('other/shared')
    await take('other/own')
    end(held)
    await settled()
    expect(begun).toEqual(['rival/shared', 'other/own', 'writer/shared'])
  })

  // conformance: Attacks / 39. An attacker avoids quotas with running uploads, or detects other refs by them
  it.each(['goes', 'has waited too long'])(
    'that is large and %s lets those behind it begin',
    async (how) => {
      vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
      onTestFinished(() => void vi.useRealTimers())
      const { begun, take } = started({ maxOfRepository: 100, maxWaitSeconds: 50 })
      const gone = new AbortController()
      await take('rival/shared')
      const large = take('writer/shared', { units: 100, signal: gone.signal })
      vi.advanceTimersByTime(25_000)
      void take('other/shared')
      await settled()
      expect(begun).toEqual(['rival/shared'])
      if (how === 'goes') gone.abort(new Error('gone'))
      else vi.advanceTimersByTime(25_000)
      await large.catch(() => {})
      await settled()
      expect(begun).toEqual(['rival/shared', 'other/shared'])
    },
  )

  it('is not taken by a client that has gone, before or while it waits', async () => {
    const { begun, take } = started({ max: 1 })
    const gone = new AbortController()
    const first = await take('a/1')
    const waiting = take('b/1', { signal: gone.signal })
    gone.abort(new Error('gone'))
    await expect(waiting).rejects.toThrow('gone')
    await expect(take('c/1', { signal: gone.signal })).rejects.toThrow('gone')
    end(first)
    await take('d/1')
    expect(begun).toEqual(['a/1', 'd/1'])
  })

  it('comes to the account that was served longest ago, however many of others wait', async () => {
    const { begun, take } = started({ max: 1 })
    const held: unknown[] = [await take('greedy/1')]
    for (const name of ['greedy/2', 'greedy/3', 'greedy/4', 'modest/1', 'other/1']) {
      void take(name).then((release) => held.push(release))
    }
    while (begun.length < 6) {
      end(held.pop())
      await settled()
    }
    const order = ['greedy/1', 'modest/1', 'other/1', 'greedy/2', 'greedy/3', 'greedy/4']
    expect(begun).toEqual(order)
  })

  it('that is reserved comes at once to an account that has none, and to no other', async () => {
    const { begun, take } = started({ max: 4, reserved: 1 })
    for (let count = 1; count <= 4; count += 1) void take(`greedy/${count}`)
    await take('modest/1')
    expect(begun).toEqual(['greedy/1', 'greedy/2', 'greedy/3', 'modest/1'])
  })

  // conformance: Attacks / 37. An attacker uses many repositories to take the capacity of others
  it('comes at once to an account, however many anonymous clients read slowly', async () => {
    const { begun, take } = started({ max: 16, maxOfAccount: 6, reserved: 4 })
    const held: unknown[] = []
    const note = (release: unknown) => void held.push(release)
    for (let count = 0; count < 12; count += 1) void take(`anonymous ${count % 2}/1`).then(note)
    for (let count = 2; count < 20; count += 1) void take(`anonymous ${count}/1`).then(note)
    await take('modest/1')
    expect(begun.filter((payer) => payer.startsWith('anonymous '))).toHaveLength(8)
    // Anonymous clients that wait keep no account out, and go on when one of them ends.
    await take('modest/1')
    end(held[0])
    await settled()
    expect(begun.slice(8)).toEqual(['modest/1', 'modest/1', 'anonymous 2/1'])
  })

  it('that is reserved is left to accounts in part, also beside busy accounts', async () => {
    const { begun, take } = started({ max: 8, reserved: 4 })
    for (let count = 1; count <= 5; count += 1) void take('greedy/1')
    for (let count = 1; count <= 5; count += 1) void take(`anonymous ${count}/1`)
    await take('modest/1')
    await take('other/1')
    const [greedy, anonymous] = [Array(4).fill('greedy/1'), ['anonymous 1/1', 'anonymous 2/1']]
    expect(begun).toEqual([...greedy, ...anonymous, 'modest/1', 'other/1'])
  })

  it('is waited for by accounts, however many anonymous clients wait', async () => {
    const { take } = started({ max: 1, maxWaiting: 6 })
    await take('greedy/1')
    const anonymous = Array.from({ length: 4 }, (_, count) => take(`anonymous ${count}/1`))
    const refusal = { detail: expect.stringContaining('wait already') }
    expect(await anonymous[3]).toMatchObject(refusal)
    const modest = vi.fn()
    for (const name of ['a/1', 'b/1', 'c/1']) void take(name).then(modest)
    await settled()
    expect(modest).not.toHaveBeenCalled()
  })

  it('comes to the account that has least, also when that was served last', async () => {
    const { begun, take } = started({ max: 4 })
    await take('greedy/1')
    await take('greedy/2')
    const other = await take('other/1')
    await take('modest/1')
    void take('greedy/3')
    void take('modest/2')
    end(other)
    await settled()
    expect(begun.slice(4)).toEqual(['modest/2'])
  })

  it('is waited for by an account with few requests, in place of the last one of the account with most', async () => {
    const { take } = started({ max: 1, maxWaiting: 3 })
    await take('greedy/1')
    void take('greedy/2')
    void take('greedy/3')
    const last = take('greedy/4')
    const modest = vi.fn()
    void take('modest/1').then(modest)
    expect(await last).toMatchObject({ detail: expect.stringContaining('wait already') })
    expect(modest).not.toHaveBeenCalled()
    // The account with most has one more now, which is no reason.
    expect(await take('modest/2')).toMatchObject({ code: 'rate_limited' })
  })

  it('counts in units, and gives one that is larger than a limit all of it', async () => {
    const { begun, take } = started({ maxOfAccount: 100 })
    const first = await take('a/1', { units: 60 })
    void take('a/2', { units: 41 })
    void take('a/3', { units: 5000 })
    await settled()
    expect(begun).toEqual(['a/1'])
    end(first)
    await settled()
    expect(begun).toEqual(['a/1', 'a/2'])
  })

  it('is given back once, however often it is given back', async () => {
    const { begun, take } = started({ max: 1 })
    const first = await take('a/1')
    void take('b/1')
    void take('c/1')
    end(first)
    end(first)
    await settled()
    expect(begun).toEqual(['a/1', 'b/1'])
  })

  it('is refused, with a time to wait, to an account that has too many requests waiting', async () => {
    const { take } = started({ max: 1, maxWaitingOfAccount: 2 })
    await take('a/1')
    void take('a/1')
    void take('a/2')
    const refused = await take('a/3')
    expect(refused).toMatchObject({ code: 'rate_limited', retryAfterSeconds: 5 })
    const gone = new AbortController()
    const other = take('b/1', { signal: gone.signal })
    gone.abort(new Error('it waits'))
    await expect(other).rejects.toThrow('it waits')
  })

  // conformance: Attacks / 39. An attacker avoids quotas with running uploads, or detects other refs by them
  it('is waited for so long and no longer: then there is a time to come back, and the place is free', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
    onTestFinished(() => void vi.useRealTimers())
    const { begun, take } = started({ max: 1, maxWaitingOfAccount: 1, maxWaitSeconds: 50 })
    const first = await take('a/1')
    const late = take('a/2')
    vi.advanceTimersByTime(49_999)
    const other = take('b/1')
    vi.advanceTimersByTime(1)
    expect(await late).toMatchObject({ code: 'rate_limited', retryAfterSeconds: 5 })
    void take('a/3')
    end(first)
    end(await other)
    await settled()
    vi.advanceTimersByTime(100_000)
    expect(begun).toEqual(['a/1', 'b/1', 'a/3'])
  })
})
