import type { ChildExit } from '@latchkey/service/machine/child/keep-child'
import { CannotStart } from '@latchkey/service/machine/errors'
import { expect, it } from 'vitest'
import { storageKind as kind } from '../../src/serve/companions.ts'
import { type CompanionProcess, keepCompanion } from '../../src/serve/keep-companion.ts'

interface Launched extends CompanionProcess {
  readonly port: number | undefined
  serve(url?: string): void
  fail(line: string): void
  end(ending?: Partial<ChildExit>): void
  isStopped: boolean
}

/** Processes that do what the test says, in a time that the test moves. */
function world() {
  const launched: Launched[] = []
  const logged: Readonly<Record<string, unknown>>[] = []
  let nowMs = 0
  const due: { at: number; act: () => void }[] = []
  const timers = {
    stopwatch: () => nowMs,
    after(ms: number, act: () => void) {
      const one = { at: nowMs + ms, act }
      due.push(one)
      return () => void due.splice(due.indexOf(one), 1)
    },
  }
  const launch = (port?: number): Launched => {
    const started = Promise.withResolvers<string>()
    const ended = Promise.withResolvers<ChildExit>()
    started.promise.catch(() => {})
    const one: Launched = {
      ...{ port, isStopped: false, started: started.promise, ended: ended.promise },
      ask: async (question) => (question === 'metrics' ? 'latchkey_storage_metric 1\n' : 'ready'),
      stop() {
        one.isStopped = true
      },
      serve: (url = 'http://127.0.0.1:8081') => started.resolve(url),
      fail: (line) => started.reject(new CannotStart(line)),
      end: (ending) => ended.resolve({ code: null, signal: null, ...ending }),
    }
    launched.push(one)
    return one
  }
  const settle = () => new Promise((resolve) => setImmediate(resolve))
  return {
    launched,
    logged,
    last: () => launched.at(-1) ?? launch(),
    settle,
    async pass(ms: number) {
      nowMs += ms
      for (const one of due.filter(({ at }) => at <= nowMs)) {
        due.splice(due.indexOf(one), 1)
        one.act()
      }
      await settle()
    },
    async keep(url?: string) {
      const keeping = keepCompanion({
        kind,
        launch,
        timers,
        log: (event, fields) => void logged.push({ event, ...Object(fields) }),
      })
      launched.at(-1)?.serve(url)
      return keeping
    },
    launch,
    timers,
  }
}

it('a first start that fails is told to the caller, and not tried again', async () => {
  const { launch, timers, launched, pass } = world()
  const keeping = keepCompanion({ kind, launch, timers, log: () => {} })
  launched[0]?.fail('port 8081 is taken')
  await expect(keeping).rejects.toThrow('port 8081 is taken')
  launched[0]?.end({ code: 3 })
  await pass(100_000)
  expect(launched).toHaveLength(1)
})

it('a process that ends is logged and started again on its port, later each time', async () => {
  const { keep, last, logged, launched, pass, settle } = world()
  const kept = await keep()
  const delays: unknown[] = []
  for (let round = 1; round <= 9; round += 1) {
    last().end({ signal: 'SIGKILL' })
    await settle()
    expect([await kept.isReady(), kept.isServing(), launched.length]).toEqual([false, false, round])
    const { startsInMs, ...line } = logged.at(-1) ?? {}
    expect(line).toMatchObject({ event: 'storage_ended', code: null, signal: 'SIGKILL' })
    delays.push(startsInMs)
    await pass(Number(startsInMs) - 1)
    expect(launched).toHaveLength(round)
    await pass(1)
    expect(last().port).toBe(8081)
    last().serve()
    await settle()
    expect([await kept.isReady(), kept.isServing()]).toEqual([true, true])
  }
  expect(delays).toEqual([250, 500, 1000, 2000, 4000, 8000, 16_000, 30_000, 30_000])
  await pass(60_000)
  last().end({ code: 0 })
  await settle()
  expect(logged.at(-1)).toMatchObject({ startsInMs: 250, code: 0 })
})

it('a process on the port that http has by default is started again there', async () => {
  const { keep, last, pass, settle } = world()
  await keep('http://0.0.0.0:80')
  last().end()
  await settle()
  await pass(250)
  expect(last().port).toBe(80)
})

it('a later start that fails is logged with its reason and tried again', async () => {
  const { keep, last, logged, launched, pass, settle } = world()
  await keep()
  last().end()
  await settle()
  await pass(250)
  last().fail('port 8081 is taken')
  last().end({ code: 3 })
  await settle()
  expect(logged.at(-1)).toMatchObject({ code: 3, reason: 'port 8081 is taken', startsInMs: 500 })
  await pass(500)
  expect(launched).toHaveLength(3)
})

it('stopping tells the process to stop, waits for its end, and starts none', async () => {
  const { keep, last, logged, launched, pass, settle } = world()
  const kept = await keep()
  let isOver = false
  const stopped = kept.stop().then(() => {
    isOver = true
  })
  await settle()
  expect([last().isStopped, isOver]).toEqual([true, false])
  last().end({ code: 0 })
  await stopped
  await pass(100_000)
  expect([launched.length, logged]).toEqual([1, []])
})

it('stopping while a start is waited for calls it off', async () => {
  const { keep, last, launched, pass, settle } = world()
  const kept = await keep()
  last().end()
  await settle()
  await kept.stop()
  await pass(100_000)
  expect(launched).toHaveLength(1)
})

it('metrics say whether the process is up, and hold its own only while it is', async () => {
  const { keep, last, settle } = world()
  const kept = await keep()
  expect(await kept.metricsText()).toMatch(/^latchkey_storage_up 1\nlatchkey_storage_metric 1\n$/m)
  last().end()
  await settle()
  const text = await kept.metricsText()
  expect(text.trimEnd().split('\n').at(-1)).toBe('latchkey_storage_up 0')
})
