/** A gate with a hub URL polls the hub from its creation to `close()`, and keeps no process running. */

import { spawn } from 'node:child_process'
import type { FakeHub } from '@latchkey/gate/testing'
import { startGateway } from '@latchkey/gateway'
import { flagsFor } from '@latchkey/service/machine/runtime'
import { gatewaySettings, serving } from '@latchkey/testing/gate/gateway'
import { listeningHub } from '@latchkey/testing/gate/listening-hub'
import { bearer, casUrl, issuer, keys } from '@latchkey/testing/gate/storage-tokens'
import { describe, expect, test, vi } from 'vitest'
import { createGate, type Gate } from '../../src/index.ts'
import { asking, closing } from '../check/ask.ts'

function polling(hub: FakeHub): Gate {
  return closing(createGate({ hubUrl: hub.url, casUrl, pollSeconds: 1 }))
}

async function untilPolled(gate: Gate, times: number): Promise<void> {
  const answered = vi.fn()
  const end = gate.revocations.onAnswer(answered)
  await vi.waitFor(() => expect(answered.mock.calls.length).toBeGreaterThanOrEqual(times), 5000)
  end()
}

describe('a gate with a hub URL', () => {
  test('gets its keys and the revocation list without any call', async () => {
    const gate = polling(await listeningHub(casUrl))
    expect(gate.isReady()).toBe(false)
    await vi.waitFor(() => expect(gate.isReady()).toBe(true), 5000)
  })

  test('learns of a revocation while no request comes', async () => {
    const hub = await listeningHub(casUrl)
    const gate = polling(hub)
    await untilPolled(gate, 1)
    hub.revoke({ account: 'ada' })
    await vi.waitFor(() => expect(gate.revocations.latest()?.list.size).toBe(1), 5000)
  })

  test('asks no more after close(), and still checks requests', async () => {
    const hub = await listeningHub(casUrl)
    const gate = polling(hub)
    await untilPolled(gate, 2)
    gate.close()
    gate.close()
    const answered = vi.fn()
    gate.revocations.onAnswer(answered)
    await new Promise((resolve) => setTimeout(resolve, 2500))
    expect(answered).not.toHaveBeenCalled()
    const path = hub.path('models/acme/bert', 'main')
    const checked = await gate.check(asking(`Bearer ${hub.token()}`, { target: `${path}/v1/x` }))
    expect(checked).toMatchObject({ ok: true })
  })

  test('asks nothing if it is closed at once', async () => {
    const gate = polling(await listeningHub(casUrl))
    gate.close()
    const answered = vi.fn()
    gate.revocations.onAnswer(answered)
    await new Promise((resolve) => setTimeout(resolve, 1500))
    expect(answered).not.toHaveBeenCalled()
  })

  test.each([
    ['shows NaN', () => Number.NaN],
    [
      'fails',
      () => {
        throw new Error('no time')
      },
    ],
  ])('survives a clock that %s, and serves when the clock is right again', async (_, broken) => {
    const hub = await listeningHub(casUrl)
    const onRevocationFailure = vi.fn()
    const onKeyFailure = vi.fn()
    let clock: () => number = broken
    const gate = closing(
      createGate({
        ...{ hubUrl: hub.url, casUrl, pollSeconds: 1, onRevocationFailure, onKeyFailure },
        clock: () => clock(),
      }),
    )
    await untilPolled(gate, 2)
    expect(gate.isReady()).toBe(false)
    expect(onRevocationFailure).toHaveBeenCalledOnce()
    await expect(gate.check(asking(bearer()))).rejects.toThrow()
    clock = () => Date.now() / 1000
    await vi.waitFor(() => expect(gate.isReady()).toBe(true), 5000)
    clock = broken
    await untilPolled(gate, 2)
    expect(gate.isReady()).toBe(false)
  })

  test('ends with its process, which it does not keep running', async () => {
    const hub = await listeningHub(casUrl)
    const program = `
      import { createGate } from ${JSON.stringify(new URL('../../src/index.ts', import.meta.url).href)}
      const gate = createGate({ hubUrl: ${JSON.stringify(hub.url)}, casUrl: 'https://cas.example/r/{repo}/{ref}', pollSeconds: 30 })
      await gate.revocations.refresh()
      await gate.refreshKeys()
      console.log(gate.revocations.latest() !== undefined)
    `
    const child = spawn(
      process.execPath,
      [...flagsFor('program.ts'), '--input-type=module', '-e', program],
      { stdio: ['ignore', 'pipe', 'inherit'], timeout: 20_000 },
    )
    let written = ''
    child.stdout.on('data', (part) => {
      written += part
    })
    const begun = performance.now()
    const code = await new Promise((resolve) => child.on('close', resolve))
    expect([written, code]).toEqual(['true\n', 0])
    // The interval is 30 seconds, and Node drops idle connections after 4.
    expect(performance.now() - begun).toBeLessThan(15_000)
  })
})

test('a gateway that cannot start polls no more', async () => {
  const asked = vi.fn()
  const hub = await serving((_, response) => {
    asked()
    response.writeHead(503).end()
  })
  const settings = {
    ...gatewaySettings(hub.url, 'ftp://storage.example'),
    revocations: { pollSeconds: 1, whenStale: 'reject' } as const,
  }
  await expect(startGateway(settings)).rejects.toThrow('upstream')
  await new Promise((resolve) => setTimeout(resolve, 1500))
  expect(asked).not.toHaveBeenCalled()
})

test('a gate with a revocation source of its own leaves polling to the owner of the source', () => {
  const poll = vi.fn(() => () => {})
  const { revocations } = createGate({ keys, issuer, casUrl })
  createGate({ keys, issuer, casUrl, revocations: { ...revocations, poll } }).close()
  expect(poll).not.toHaveBeenCalled()
})
