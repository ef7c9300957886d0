/** Work in turns: bounded in all, fair to every repository, and not for clients that have gone. */

import { describe, expect, it } from 'vitest'
import { turns } from '../../src/requests/turns.ts'

const { signal: stays } = new AbortController()

/** Takes turns by the names of repositories, and notes which have begun. */
function started(mostAtOnce: Parameters<typeof turns>[0]) {
  const takeTurn = turns(mostAtOnce)
  const begun: string[] = []
  const take = (repository: string, signal = stays) =>
    takeTurn(repository, signal).then((end) => {
      begun.push(repository)
      return end
    })
  return { begun, take }
}

const settled = () => new Promise((resolve) => setImmediate(resolve))

describe('a turn', () => {
  it('is waited for when there are as many as there may be, and comes when one ends', async () => {
    const { begun, take } = started({ inAll: 2, ofOne: 2 })
    const end = await take('a')
    await take('b')
    void take('c')
    await settled()
    expect(begun).toEqual(['a', 'b'])
    end()
    await settled()
    expect(begun).toEqual(['a', 'b', 'c'])
  })

  it('of one repository is waited for by its own, not by others', async () => {
    const { begun, take } = started({ inAll: 10, ofOne: 1 })
    const end = await take('greedy')
    for (let count = 0; count < 50; count += 1) void take('greedy')
    await take('modest')
    expect(begun).toEqual(['greedy', 'modest'])
    end()
    await settled()
    expect(begun).toEqual(['greedy', 'modest', 'greedy'])
  })

  it('is not taken by a client that has gone, before or while it waits', async () => {
    const { begun, take } = started({ inAll: 1, ofOne: 1 })
    const gone = new AbortController()
    const end = await take('a')
    const waiting = take('b', gone.signal)
    gone.abort(new Error('gone'))
    await expect(waiting).rejects.toThrow('gone')
    await expect(take('c', gone.signal)).rejects.toThrow('gone')
    end()
    await take('d')
    expect(begun).toEqual(['a', 'd'])
  })

  it('comes to who was served longest ago, however many of others were there before', async () => {
    const { begun, take } = started({ inAll: 1, ofOne: 1 })
    const ends: (() => void)[] = [await take('greedy')]
    for (const name of ['greedy', 'greedy', 'greedy', 'modest', 'other']) {
      void take(name).then((end) => ends.push(end))
    }
    while (begun.length < 6) {
      ends.pop()?.()
      await settled()
    }
    expect(begun).toEqual(['greedy', 'modest', 'other', 'greedy', 'greedy', 'greedy'])
  })
})
