/** The pool: no thread takes the tasks of another down with it, and nobody waits for work that nobody wants. */

import { execFile } from 'node:child_process'
import { createSecretKey } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { promisify } from 'node:util'
import { isRefusal } from '@latchkey/protocol'
import { afterAll, describe, expect, onTestFinished, test } from 'vitest'
import { threadNiceness } from '../../src/threads/lower-priority.ts'
import { type ThreadPool, threadPool, type Watching } from '../../src/threads/thread-pool.ts'
import type { OddTask } from './odd-work.ts'

const module = new URL('./odd-work.ts', import.meta.url)

interface Settings {
  readonly threads?: number
  readonly tasksEach?: number
  readonly data?: unknown
}

function openPool(settings: Settings = {}) {
  const pool = poolOf(settings)
  onTestFinished(() => pool.close())
  return pool
}

function poolOf({ threads = 1, ...settings }: Settings = {}) {
  const pool: ThreadPool<OddTask, string, unknown> = threadPool({ module, threads, ...settings })
  return {
    close: pool.close,
    run: (word: string, watching?: Watching<string>) => pool.run({ word }, watching),
  }
}

/** For tests of what a thread gives back, whichever thread it is. */
const shared = poolOf()
afterAll(() => shared.close())

/** Runs a task, and gives its promise once it has told that it began. */
async function begun(pool: ReturnType<typeof openPool>, word: string, signal?: AbortSignal) {
  const { promise, resolve } = Promise.withResolvers<void>()
  const running = pool.run(word, { onProgress: () => resolve(), ...(signal && { signal }) })
  running.catch(() => {})
  await promise
  return { running }
}

describe('what fails', () => {
  test('a task fails when its thread dies, those that wait get another thread', async () => {
    const pool = openPool()
    const words = ['given', 'die', 'given', 'die', 'given']
    const settled = await Promise.allSettled(words.map((word) => pool.run(word)))
    const outcomes = settled.map(({ status }) => status)
    expect(outcomes).toEqual(['fulfilled', 'rejected', 'fulfilled', 'rejected', 'fulfilled'])
  })

  test('a thread that dies takes its own tasks down, not those of another thread', async () => {
    const pool = openPool({ threads: 2, tasksEach: 2 })
    const gone = new AbortController()
    const { running: first } = await begun(pool, 'endless', gone.signal)
    const { running: second } = await begun(pool, 'endless')
    const { running: third } = await begun(pool, 'endless')
    // The first thread has two, so the second gets it.
    await expect(pool.run('die')).rejects.toThrow(/ended in the middle/)
    await expect(second).rejects.toThrow(/ended in the middle/)
    gone.abort(new Error('gone'))
    await expect(first).rejects.toThrow('gone')
    await pool.close()
    await expect(third).rejects.toThrow(/ended in the middle/)
  })

  test('a thread that dies of what it has left behind is replaced', async () => {
    const pool = openPool()
    const before = await pool.run('thread')
    await pool.run('later').catch(() => {})
    await expect
      .poll(() => pool.run('thread').catch(() => before), { interval: 5 })
      .not.toBe(before)
  })

  test('what the work throws keeps its name and code', async () => {
    const failed = shared.run('failed')
    await expect(failed).rejects.toMatchObject({
      name: 'RangeError',
      message: 'as asked',
      code: 'ENOSPC',
      stack: expect.stringContaining('odd-work.ts'),
    })
  })

  test('a refusal of the work is a refusal', async () => {
    const refusal = await shared.run('refused')
    expect(isRefusal(refusal)).toBe(true)
    expect(refusal).toMatchObject({
      code: 'content_invalid',
      detail: 'as asked',
      wholeBytes: 3,
      reason: 'for the log',
    })
  })

  test('tasks that are not done when the pool closes fail, and so do later ones', async () => {
    const pool = openPool()
    const { running } = await begun(pool, 'stuck')
    const settled = Promise.allSettled([running, pool.run('given'), pool.run('given')])
    await pool.close()
    expect((await settled).map(({ status }) => status)).toEqual(Array(3).fill('rejected'))
    await expect(pool.run('given')).rejects.toThrow(/closed/)
  })
})

describe('aborted', () => {
  const gone = () => AbortSignal.abort(new Error('gone'))

  test('a task that is under way ends with the reason, and its thread goes on', async () => {
    const pool = openPool()
    const before = await pool.run('thread')
    const controller = new AbortController()
    const { running } = await begun(pool, 'endless', controller.signal)
    controller.abort(new Error('gone'))
    await expect(running).rejects.toThrow('gone')
    expect(await pool.run('thread')).toBe(before)
  })

  test('a task that waits is dropped at once', async () => {
    const pool = openPool()
    await begun(pool, 'stuck')
    const controller = new AbortController()
    const waiting = pool.run('die', { signal: controller.signal })
    controller.abort(new Error('gone'))
    await expect(waiting).rejects.toThrow('gone')
  })

  test('a task of a client that has gone before is not begun', async () => {
    await expect(openPool().run('die', { signal: gone() })).rejects.toThrow('gone')
  })
})

describe('what is done', () => {
  test('threads get what all tasks have in common; a key stays a key that is not printed', async () => {
    const key = createSecretKey(Buffer.from('a key of the storage'))
    const given = (await openPool({ data: { key } }).run('given')) as { readonly key: typeof key }
    expect(given.key.equals(key)).toBe(true)
  })

  test('work is done on another thread, which has nothing of the environment but the place of compiled modules', async () => {
    expect(await shared.run('main')).toBe(false)
    const { NODE_COMPILE_CACHE } = process.env
    expect(NODE_COMPILE_CACHE).toBeDefined()
    expect(await shared.run('environment')).toEqual({ NODE_COMPILE_CACHE })
  })

  test('progress comes in order, before the result', async () => {
    const told: string[] = []
    const result = await shared.run('steps', { onProgress: (step) => told.push(step) })
    expect([...told, result]).toEqual(['one', 'two', 'three', 'done'])
  })

  test('a buffer that is given away arrives whole', async () => {
    expect(await shared.run('buffer')).toEqual(new Uint8Array(1000).fill(7))
  })

  test.each([1, 2])('never on more threads than %i', async (threads) => {
    const pool = openPool({ threads, tasksEach: 3 })
    const ids = await Promise.all(Array.from({ length: 12 }, () => pool.run('thread')))
    expect(new Set(ids).size).toBeLessThanOrEqual(threads)
  })

  test('tasks of one thread take turns, as many as it may have; the next one waits', async () => {
    const pool = openPool({ tasksEach: 2 })
    const controller = new AbortController()
    await begun(pool, 'endless', controller.signal)
    expect(await pool.run('given')).toBeUndefined()
    await begun(pool, 'endless')
    let isDone = false
    const third = pool.run('given').then(() => {
      isDone = true
    })
    await openPool().run('given')
    expect(isDone).toBe(false)
    controller.abort()
    await third
  })

  test('a process may end with idle threads, and does not end before its tasks', async () => {
    const pool = new URL('../../src/threads/thread-pool.ts', import.meta.url)
    const script = `
      import { threadPool } from '${pool.href}'
      const { run } = threadPool({ module: new URL('${module.href}'), threads: 1 })
      console.log(await run({ word: 'steps' }))
    `
    const command = ['--input-type=module', '--eval', script]
    const { stdout } = await promisify(execFile)(process.execPath, command, { timeout: 100_000 })
    expect(stdout.trim()).toBe('done')
  })
})

test('a thread that runs from sources finds those of other packages', async () => {
  expect(await shared.run('protocol')).toMatch(/\/protocol\/src\/index\.ts$/)
})

test.runIf(process.platform === 'linux')(
  'a thread of a pool yields the processor to the process it belongs to, whose priority stays',
  async () => {
    const own = () => nicenessOf(`/proc/${process.pid}/task/${process.pid}`)
    const before = own()
    const path = await shared.run('own id')
    expect(nicenessOf(`/proc/${path}`)).toBe(Math.max(threadNiceness, before))
    expect(own()).toBe(before)
  },
)

/** The 19th field, behind the name in brackets. */
function nicenessOf(folder: string): number {
  const fields = readFileSync(`${folder}/stat`, 'utf8').split(') ').at(-1)?.split(' ') ?? []
  return Number(fields[16])
}
