/** A forge is a process of its own: it waits for its hub, says why it cannot serve, and has its data directory alone. */

import type { CallerQuestions } from '@latchkey/admin-api/forge-port'
import { refuse, Secret } from '@latchkey/protocol'
import { temporaryFolder } from '@latchkey/testing/machine/folder'
import { describe, expect, onTestFinished, test, vi } from 'vitest'
import {
  type ForgeSettings,
  type ForgeSurroundings,
  type LinkedHub,
  startForge,
} from '../../src/serve/index.ts'
import { isGitThere } from '../real-git.ts'

const settingsFor = (data: string): ForgeSettings => ({
  ...{ host: '127.0.0.1', port: 0, data, publicUrl: 'https://hub.example' },
  hub: {
    ...{ hubUrl: 'https://hub.example', allowPlainHttp: false },
    credential: new Secret('hub-token', 'credential'),
  },
  ...{ allowedHosts: [], trustedProxies: [], limits: { connections: 100 } },
  operations: { port: undefined, host: '127.0.0.1' },
  ...{ log: { level: 'info' }, stopDeadlineSeconds: 1 },
})

const state = { isAway: false, requestIds: [] as string[] }

const answering = async <Value>(value: Value): Promise<Value> => {
  if (state.isAway) throw new Error('connection refused')
  return value
}

const hub: LinkedHub = {
  asking({ requestId, address }) {
    state.requestIds.push(`${address} ${requestId}`)
    const refused = async () => refuse('not_found', 'There is nothing.')
    const get = (_: object, name: string) => (name === 'payer' ? () => 'somebody' : refused)
    return new Proxy({}, { get }) as CallerQuestions
  },
  refsOf: () => answering(undefined),
  dropReserved: () => answering(undefined),
  expireUploads: () => answering(0),
  deletedAmong: () => answering([]),
  hold: () => answering(undefined),
  release: () => answering(undefined),
  close: async () => {},
}

async function start(change: Partial<ForgeSettings> = {}, more: Partial<ForgeSurroundings> = {}) {
  const logLines: string[] = []
  const lines = { write: (line: string) => logLines.push(line), async close() {} }
  const settings = { ...settingsFor(temporaryFolder()), ...change }
  const forge = await startForge(settings, { connect: () => hub, lines, ...more })
  onTestFinished(() => forge.stop())
  return { ...forge, logLines, settings }
}

describe.skipIf(!isGitThere)('a forge', () => {
  test('waits for a hub that is away, says so, and serves once it is there', async () => {
    state.isAway = true
    const { url, logLines } = await start()
    const notReady = await fetch(`${url}/readyz`)
    expect([notReady.status, await notReady.text()]).toEqual([
      503,
      expect.stringContaining('The forge cannot ask its hub'),
    ])
    const early = await fetch(`${url}/api/models/acme/bert`)
    expect([early.status, early.headers.get('retry-after')]).toEqual([503, '1'])
    expect((await fetch(`${url}/healthz`)).status).toBe(200)
    state.isAway = false
    await vi.waitFor(async () => expect((await fetch(`${url}/readyz`)).status).toBe(200), 10_000)
    const events = logLines.map((line) => JSON.parse(line).event)
    expect(events).toEqual(['forge_not_ready', 'forge_started', 'forge_ready'])
    expect((await fetch(`${url}/no/route/here/at/all`)).status).toBe(404)
    expect(await (await fetch(`${url}/metrics`)).text()).toContain('latchkey_git_processes 0')
  })

  test('does not start beside another on its data directory, and names the directory', async () => {
    const { settings } = await start()
    await expect(start({ data: settings.data })).rejects.toThrow(settings.data)
  })

  test('does not start without git, and says so', async () => {
    await expect(start({ gitProgram: '/nowhere/git' })).rejects.toThrow('git cannot be used')
  })

  test('takes the address and the id of a request from a trusted proxy alone', async () => {
    const id = 'abcdefghijklmnopqrstuvwxyz'
    const headers = { 'x-forwarded-for': '192.0.2.7', 'x-request-id': id }
    const told = async (change: Partial<ForgeSettings>) => {
      const { url } = await start(change)
      state.requestIds = []
      const answer = await fetch(`${url}/api/models/acme/bert`, { headers })
      return [state.requestIds, answer.headers.get('x-request-id')]
    }
    expect(await told({ trustedProxies: ['127.0.0.1'] })).toEqual([[`192.0.2.7 ${id}`], id])
    const [ids, answered] = await told({})
    expect(ids).toEqual([`127.0.0.1 ${answered}`])
    expect(answered).not.toBe(id)
  })

  test('serves what watches it at a port of its own', async () => {
    const { url, operationsUrl } = await start({ operations: { port: 0, host: '127.0.0.1' } })
    expect((await fetch(`${operationsUrl}/readyz`)).status).toBe(200)
    expect((await fetch(`${url}/readyz`)).status).toBe(404)
  })
})
