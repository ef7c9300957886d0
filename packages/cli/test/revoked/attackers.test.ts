/** What somebody keeps trying whose access was taken away: at the gateway, a proxy, the storage and its blob URLs. */

import { once } from 'node:events'
import { readFileSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import type { TokenResponse } from '@latchkey/protocol'
import { freePort } from '@latchkey/testing/machine/free-port'
import { expect, it, onTestFinished } from 'vitest'
import { latchkeyHere } from '../run-here.ts'
import { temporaryDirectory } from '../run-latchkey.ts'
import { bothHere, gateHere } from '../serve-here.ts'

const commit = '1'.repeat(40)
const later = '2'.repeat(40)
const often = { revocationsPollSeconds: '1' }

interface Attacker {
  readonly account: string
  readonly revision: string
  /** How the operator takes the access away. */
  readonly taking: readonly string[]
}

// biome-ignore format: a table is read by its columns
const attackers: readonly Attacker[] = [
  { account: 'disabled', revision: 'main', taking: ['account', 'set', 'disabled', '--disabled'] },
  { account: 'removed',  revision: 'main', taking: ['member', 'delete', 'n-removed', 'removed'] },
  { account: 'tagged',   revision: 'v1',   taking: ['ref', 'set', 'models/n-tagged/r', 'refs/tags/v1', later] },
  { account: 'branched', revision: 'dev',  taking: ['ref', 'delete', 'models/n-branched/r', 'dev'] },
  { account: 'restored', revision: 'main', taking: [] },
]

const directory = {
  accounts: attackers.map(({ account }) => ({ name: account })),
  namespaces: attackers.map(({ account }) => ({
    name: `n-${account}`,
    members: { [account]: 'write' },
  })),
  repositories: attackers.map(({ account }) => ({
    ...{ type: 'model', id: `n-${account}/r`, visibility: 'private' },
    ...{ branches: { main: commit, dev: commit }, tags: { v1: commit } },
  })),
  hubTokens: attackers.map(({ account }) => ({ account, name: 'laptop', kind: 'write' })),
}

/** What an attacker has kept: a token and the URL of a blob, and the doors to try them at. */
type Doors = Readonly<Record<'gateway' | 'proxy' | 'storage' | 'blob URL', () => Promise<number>>>

// conformance: Guarantees / Revoked access stops tokens, blob URLs and running transfers
// conformance: Attacks / 48. An attacker continues to use a token after access was removed
it('the disabled account, the removed member, the moved tag, the deleted branch and the restored backup open no door any more', async () => {
  const cwd = temporaryDirectory()
  const run = async (...args: string[]) => {
    const ended = await latchkeyHere(args, { cwd })
    expect(ended, args.join(' ')).toMatchObject({ code: 0 })
    return ended.stdout
  }
  const [port, storagePort] = [await freePort(), await freePort()]
  const flags = { ...often, port: `${port}`, storagePort: `${storagePort}` }
  writeFileSync(join(cwd, 'world.json'), JSON.stringify(directory))
  const made: readonly { account: string; token: string }[] = JSON.parse(
    await run('apply', 'world.json', '--json'),
  ).hubTokens
  const hub = await bothHere(join(cwd, 'latchkey-data'), {}, flags)
  onTestFinished(hub.stop)
  const guards = await startGuards(hub.url, storagePort)
  writeFileSync(join(cwd, 'file'), 'a file of the attacker')

  const tried = await Promise.all(
    attackers.map(async ({ account, revision }) => {
      const hubToken = made.find((one) => one.account === account)?.token ?? ''
      return doorsOf({
        cwd,
        hub: hub.url,
        hubToken,
        target: `models/n-${account}/r@${revision}`,
        guards,
      })
    }),
  )
  for (const doors of tried) await untilOpen(doors)

  await run('backup', 'monday')
  for (const { taking } of attackers) if (taking.length > 0) await run(...taking)
  await Promise.all(tried.slice(0, -1).map(untilClosed))
  for (const doors of tried.slice(-1)) await untilOpen(doors)

  await hub.stop()
  await run('restore', 'monday', '--data', 'restored')
  writeFileSync(join(cwd, 'restored', 'master.key'), keyIn(cwd), { mode: 0o600 })
  const restored = await bothHere(join(cwd, 'restored'), {}, flags)
  onTestFinished(restored.stop)
  await Promise.all(tried.map(untilClosed))
}, 200_000)

const openDoors = { gateway: 200, proxy: 200, storage: 200, 'blob URL': 206 }

/** A guard whose list is stale for a moment says 503, and nobody loses more than that moment. */
async function untilOpen(doors: Doors): Promise<void> {
  for (;;) {
    const statuses = await statusesAt(doors)
    if (!Object.values(statuses).includes(503)) return expect(statuses).toEqual(openDoors)
    await delay(250)
  }
}

/** Each door refuses, and says nothing else on the way there but yes, or that the hub or storage is away. */
async function untilClosed(doors: Doors): Promise<void> {
  for (const [door, knock] of Object.entries(doors)) {
    const expected = door === 'blob URL' ? 403 : 401
    for (;;) {
      const status = await knock()
      if (status === expected) break
      expect([200, 206, 503, 0], door).toContain(status)
      await delay(250)
    }
  }
}

async function statusesAt(doors: Doors): Promise<object> {
  const answers = Object.entries(doors).map(async ([door, knock]) => [door, await knock()])
  return Object.fromEntries(await Promise.all(answers))
}

interface Guards {
  readonly gateway: string
  readonly proxy: string
}

/** A gateway in front of a storage that answers everything, and the endpoint that nginx asks. */
async function startGuards(hub: string, storagePort: number): Promise<Guards> {
  const anything = createServer((_, response) => response.end('content')).listen(0, '127.0.0.1')
  onTestFinished(() => {
    anything.closeAllConnections()
    anything.close()
  })
  await once(anything, 'listening')
  const upstream = `http://127.0.0.1:${(anything.address() as AddressInfo).port}`
  const casUrl = `http://127.0.0.1:${storagePort}/r/{repo}/{ref}`
  const [gateway, proxy] = await Promise.all([
    gateHere({ ...often, port: '0', hub, casUrl, upstream: `${upstream}/{repo}/{ref}` }),
    gateHere({ ...often, port: '0', hub, casUrl, forwardAuth: 'nginx' }),
  ])
  onTestFinished(gateway.stop)
  onTestFinished(proxy.stop)
  return { gateway: gateway.url, proxy: proxy.url }
}

interface Asking {
  readonly cwd: string
  readonly hub: string
  readonly hubToken: string
  readonly target: string
  readonly guards: Guards
}

async function doorsOf({ cwd, hub, hubToken, target, guards }: Asking): Promise<Doors> {
  const env = { LATCHKEY_HUB: hub, LATCHKEY_HUB_TOKEN: hubToken }
  const uploaded = await latchkeyHere(['upload', target, 'file', '--json'], { cwd, env })
  expect(uploaded, target).toMatchObject({ code: 0 })
  const [, hash] = /\b([0-9a-f]{64})\b/.exec(uploaded.stdout) ?? []
  const kept = await latchkeyHere(['token', 'read', target, '--json'], { cwd, env })
  const { accessToken, casUrl } = JSON.parse(kept.stdout) as TokenResponse
  const headers = { authorization: `Bearer ${accessToken}` }
  const path = `/v1/reconstructions/${hash}`
  const answer = await fetch(`${casUrl}${path}`, { headers })
  const { fetch_info: info } = (await answer.json()) as Reconstruction
  const [{ url, url_range: range }] = Object.values(info)[0] ?? [{ url: '', url_range: noBytes }]
  const asked = new URL(casUrl).pathname + path
  return {
    gateway: () => statusOf(guards.gateway + asked, headers),
    proxy: () =>
      statusOf(guards.proxy, { ...headers, 'x-original-method': 'GET', 'x-original-uri': asked }),
    storage: () => statusOf(casUrl + path, headers),
    'blob URL': () => statusOf(url, { range: `bytes=${range.start}-${range.end}` }),
  }
}

const noBytes = { start: 0, end: 0 }

interface Reconstruction {
  readonly fetch_info: Readonly<
    Record<string, readonly [{ readonly url: string; readonly url_range: typeof noBytes }]>
  >
}

/** 0 while nobody listens. */
async function statusOf(url: string, headers: Record<string, string>): Promise<number> {
  try {
    const answer = await fetch(url, { headers })
    await answer.arrayBuffer()
    return answer.status
  } catch {
    return 0
  }
}

function keyIn(cwd: string): Buffer {
  return readFileSync(join(cwd, 'latchkey-data', 'master.key'))
}
