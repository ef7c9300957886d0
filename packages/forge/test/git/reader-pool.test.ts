/** Accounts that wait for the same reader do not wait in the queue of one of them. */

import { PassThrough } from 'node:stream'
import { setTimeout as delay } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { objectReader } from '../../src/git/objects/object-reader.ts'
import { readerPool } from '../../src/git/objects/reader-pool.ts'
import type { GitProcess } from '../../src/git/process/start-git.ts'
import { countTurns } from './turns.ts'

/** A git that says nothing until it is killed. */
function silentGit(): GitProcess {
  const { promise: ended, reject: kill } = Promise.withResolvers<void>()
  ended.catch(() => {})
  // biome-ignore lint/correctness/useYield: it ends without a word
  const output = async function* () {
    await ended
  }
  return { stdin: new PassThrough(), ended, kill, letFinish() {}, output, largeOutput: output }
}

const readerOf = (git: GitProcess) => objectReader(git, 60_000)

/** One reader for all accounts, and another for an account that has none. */
function openPool() {
  const pool = readerPool({ most: 2, reserved: 1, idleMs: 60_000, readerOf })
  const opened: string[] = []
  const left = Promise.withResolvers<void>()
  /** Gives the reader as soon as there is one, and uses it until all leave. */
  const read = (account: string, key: string) =>
    new Promise((resolve, reject) => {
      const open = () => {
        opened.push(`${key} for ${account}`)
        return silentGit()
      }
      const work = (reader: object) => {
        resolve(reader)
        return left.promise
      }
      pool.use({ key, account: () => account, open }, work).catch(reject)
    })
  return { pool, opened, read, leave: left.resolve }
}

test('an account gets a reader at once, though another account waits for room to read the same repository', async () => {
  const { pool, opened, read, leave } = openPool()
  await read('greedy', 'one')
  const waiting = read('greedy', 'two')
  const reader = await read('modest', 'two')
  // It needs no room of its own any more.
  expect(await waiting).toBe(reader)
  expect(opened).toEqual(['one for greedy', 'two for modest'])
  leave()
  pool.close()
})

test('a repository that is removed ends the wait for its reader, and starts no process later', async () => {
  const { pool, opened, read, leave } = openPool()
  await read('greedy', 'one')
  const waiting = read('greedy', 'two')
  pool.end('two')
  await expect(waiting).rejects.toThrow('process was ended')
  leave()
  pool.close()
  await read('greedy', 'three')
  expect(opened).toEqual(['one for greedy', 'three for greedy'])
  pool.close()
})

test('readers that are asked for together start in different turns of the event loop', async () => {
  const turn = countTurns()
  const pool = readerPool({ most: 4, reserved: 0, idleMs: 60_000, readerOf })
  const starts: number[] = []
  const open = () => {
    starts.push(turn())
    return silentGit()
  }
  const account = () => 'greedy'
  await Promise.all(
    ['1', '2', '3', '4'].map((key) => pool.use({ key, account, open }, async () => {})),
  )
  expect(new Set(starts).size).toBe(4)
  pool.close()
})

test('an account that reads many repositories ends no reader of an account that reads one', async () => {
  const pool = readerPool({ most: 8, reserved: 2, idleMs: 60_000, readerOf })
  const opened = { greedy: 0, modest: 0 }
  const ask = (name: keyof typeof opened, key: string) => {
    const open = () => {
      opened[name] += 1
      return silentGit()
    }
    return pool.use({ key, account: () => name, open }, () => delay(1))
  }
  const isOver = new AbortController()
  const askAgain = async (key: string) => {
    while (!isOver.signal.aborted) await ask('greedy', key)
  }
  const greedy = Array.from({ length: 24 }, (_, at) => askAgain(`greedy ${at}`))
  for (let question = 0; question < 50; question += 1) {
    await ask('modest', 'modest')
    await delay(1)
  }
  isOver.abort()
  await Promise.all(greedy)
  expect(opened.modest).toBe(1)
  expect(opened.greedy).toBeGreaterThan(24)
  pool.close()
})
