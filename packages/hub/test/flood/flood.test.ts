/** One address with thousands of connections delays itself, and no other address. */

import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { pathOf } from '@latchkey/testing/hub/ask'
import { describe, expect, onTestFinished, test } from 'vitest'
import type { Attack, Attacked } from './attacker.ts'
import type { Questions, Replies } from './client.ts'
import type { HubProcess } from './hub-process.ts'

const connections = 2000
const path = pathOf('read models/acme/bert@main')

function start(name: string): ChildProcess {
  const execArgv = ['--conditions=@latchkey/source']
  const child = fork(join(import.meta.dirname, name), { execArgv })
  onTestFinished(() => void child.kill('SIGKILL'))
  return child
}

async function hear<Message>(child: ChildProcess): Promise<Message> {
  const [message] = await once(child, 'message')
  return message
}

async function tell<Reply>(child: ChildProcess, message: object): Promise<Reply> {
  const heard = hear<Reply>(child)
  child.send(message)
  return heard
}

function p95(all: readonly number[]): number {
  return all.toSorted((one, other) => one - other)[Math.floor(all.length * 0.95)] ?? Infinity
}

interface Flood {
  /** What the attacker asks for: the same as the client without it. */
  readonly target?: string
  /** The header that the attacker sends. */
  readonly authorizationOf?: (hub: HubProcess) => string | undefined
}

/** A hub under attack beside one that is not, asked in turn: so the load of the machine slows both alike. */
async function attackedHub({ target = path, authorizationOf = () => undefined }: Flood) {
  const children = [start('hub-process.ts'), start('hub-process.ts')]
  const hubs = await Promise.all(children.map((child) => hear<HubProcess>(child)))
  const client = start('client.ts')
  const asked = hubs.map((hub) => ({
    url: hub.url + path,
    authorization: `Bearer ${hub.tokens['writer/write']}`,
  }))
  const ask = (count: number) => tell<Replies[]>(client, { hubs: asked, count } satisfies Questions)
  // Until the code is compiled.
  await ask(200)
  const [hub] = hubs
  if (hub === undefined) throw new Error('no hub has started')
  const authorization = authorizationOf(hub)
  const header = authorization === undefined ? '' : `Authorization: ${authorization}\r\n`
  const attacker = start('attacker.ts')
  const attack: Attack = {
    port: Number(new URL(hub.url).port),
    ...{ connections, pipelined: 8 },
    request: `GET ${target} HTTP/1.1\r\nHost: localhost\r\n${header}\r\n`,
  }
  await tell<Attacked>(attacker, attack)
  return {
    ask: () => ask(100),
    attacked: () => tell<Attacked>(attacker, {}),
  }
}

async function expectServed(flood: Flood) {
  const { ask, attacked } = await attackedHub(flood)
  const before = await attacked()
  expect(before.open).toBe(connections)
  for (let left = 12; ; left -= 1) {
    const [during, without] = await ask()
    const good = during?.statuses.filter((status) => status === 200).length
    const times = p95(during?.milliseconds ?? []) / p95(without?.milliseconds ?? [])
    process.stdout.write(`flood: ${good} of 100, p95 ${times.toFixed(2)} times as long\n`)
    // Beside other load a single figure varies; a client that is delayed by the attack is so each time.
    if (times > 3 && left > 1) {
      await delay(500)
      continue
    }
    expect(good).toBeGreaterThanOrEqual(99)
    expect(times).toBeLessThan(3)
    break
  }
  const after = await attacked()
  expect(after.responses).toBeGreaterThan(before.responses)
  // The attacker opens a connection again a tenth of a second after the hub has closed it.
  expect(after.open).toBeGreaterThan(connections * 0.9)
}

describe('while one address has 2000 connections with 8 requests on each, a client elsewhere is served as before', () => {
  // conformance: Attacks / 32. An attacker floods memory, connections or processor time
  test('by a hub that gets no hub token from it', async () => {
    await expectServed({})
  }, 300_000)

  test('by a hub that gets an unknown hub token from it', { tags: 'soak' }, async () => {
    await expectServed({ authorizationOf: () => `Bearer lk_${'a'.repeat(49)}` })
  })

  test('by a hub that gets a valid hub token of another account from it', {
    tags: 'soak',
  }, async () => {
    await expectServed({ authorizationOf: ({ tokens }) => `Bearer ${tokens['reader/write']}` })
  })

  // Until a soak, the tests of the queue say how requests that go first take turns.
  test.each([
    '/.well-known/jwks.json',
    '/.well-known/storage-revocations',
    '/link/v1/changes?wait=0',
    '/healthz',
    '/readyz',
  ])('by a hub that is asked for %s', { tags: 'soak' }, async (target) => {
    await expectServed({ target, authorizationOf: () => `Bearer lk_${'a'.repeat(49)}` })
  })
})
