/** A hub, a gate before a storage, and clients of them: everything real, and what is killed in a process of its own. */

import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { gatewaySettings } from '@latchkey/testing/gate/gateway'
import { testSettings } from '@latchkey/testing/hub/hub-settings'
import { freePort } from '@latchkey/testing/machine/free-port'
import {
  createStorageClient,
  type StorageClient,
  type StorageClientOptions,
} from '../../src/index.ts'
import { type HubTokens, writeDirectory } from './directory.ts'
import { serviceHere } from './service-here.ts'
import { type LogLine, type RunningService, serviceProcess } from './service-process.ts'
import { openStorage, type Storage } from './storage.ts'

export interface Stage {
  readonly hub: RunningService
  readonly gate: RunningService
  readonly storage: Storage
  readonly hubTokens: HubTokens
  /** Of the writer, for main; closed with the stage. */
  client(change?: Partial<StorageClientOptions>): StorageClient
  /** What the hub has issued for a branch, by its log. */
  issued(branch: string): LogLine[]
  /** What the gate has refused, by its log. */
  refused(): LogLine[]
  /** Seconds of life that each storage token had left when a client sent it. */
  lifeLeft(): readonly number[]
  close(): Promise<void>
}

export interface StageOptions {
  readonly lifetimeSeconds?: number
  /** What a test kills. */
  readonly killed?: 'hub' | 'gate'
}

export async function openStage({
  lifetimeSeconds = 900,
  killed,
}: StageOptions = {}): Promise<Stage> {
  const data = mkdtempSync(join(tmpdir(), 'latchkey-client-'))
  const closing = new AbortController()
  // The hub must know where the gate will be, and the gate where the hub is.
  const [hubPort, gatePort] = [await freePort(), await freePort()]
  const casUrl = `http://127.0.0.1:${gatePort}/r/{repo}/{ref}`
  const hubUrl = `http://127.0.0.1:${hubPort}`
  const storage = await openStorage()
  const addresses = { port: hubPort, publicUrl: hubUrl, casUrl }
  const settings = testSettings(data, { ...addresses, token: { lifetimeSeconds } })
  const hubTokens = await writeDirectory(settings)
  const startHub = killed === 'hub' ? serviceProcess : serviceHere
  const startGate = killed === 'gate' ? serviceProcess : serviceHere
  const hub = await startHub({ kind: 'hub', settings })
  // A busy machine may judge a request long after it was sent: whether it was sent in time is seen at the client.
  const judging = { port: gatePort, casUrl, issuer: hubUrl, leewaySeconds: 60 }
  const gate = await startGate({
    kind: 'gate',
    settings: gatewaySettings(hubUrl, storage.url, judging),
  })
  const lifeLeft: number[] = []
  const watching =
    (next: typeof fetch): typeof fetch =>
    (input, init) => {
      if (String(input).startsWith(gate.url)) {
        lifeLeft.push(expiryOf(new Headers(init?.headers)) - Date.now() / 1000)
      }
      return next(input, init)
    }
  const repo = 'models/acme/bert'
  const hubToken = hubTokens['writer/write']
  return {
    ...{ hub, gate, storage, hubTokens },
    client({ fetch: next = fetch, ...change } = {}) {
      const options = { hubUrl, hubToken, repo, signal: closing.signal, ...change }
      return createStorageClient({ ...options, fetch: watching(next) })
    },
    issued: (branch) =>
      hub.log().filter(({ event, ref }) => event === 'token_issued' && ref === branch),
    lifeLeft: () => lifeLeft,
    refused: () => gate.log().filter(({ event }) => event === 'request_refused'),
    async close() {
      closing.abort()
      await Promise.all([hub.kill(), gate.kill(), storage.close()])
      rmSync(data, { recursive: true, force: true })
    },
  }
}

function expiryOf(headers: Headers): number {
  const [, claims = ''] = headers.get('authorization')?.split('.') ?? []
  return Number(JSON.parse(Buffer.from(claims, 'base64url').toString()).exp)
}
