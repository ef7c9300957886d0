/** A hub on PostgreSQL that serves HTTP, as its clients and gates meet it. */

import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { startHub } from '@latchkey/hub'
import { testSettings } from '@latchkey/testing/hub/hub-settings'
import { applied } from '@latchkey/testing/hub/run-verbs'
import { isCut, readRevocationList, revocableOf } from '@latchkey/token'
import { onTestFinished } from 'vitest'
import { openFile, openHub, settingsOf } from './open-hub.ts'

export interface ServedHub {
  readonly logLines: readonly string[]
  /** A storage token for a branch of the repository of `openFile`. */
  requestToken(branch?: string): Promise<Response>
  report(token: string): Promise<Response>
  /** Whether the revocations that are published now end the token; undefined where none are published. */
  isRevoked(token: string): Promise<boolean | undefined>
}

const headPath = '/.well-known/storage-revocations'

/** The directory is `openFile`. Stopped when the test is over. */
export async function serveHub(url: string): Promise<ServedHub> {
  const data = mkdtempSync(join(tmpdir(), 'latchkey-hub-'))
  const logLines: string[] = []
  const limits = { requestsPerMinute: 0, failuresPerMinute: 0, connections: 10_000 }
  const settings = { ...testSettings(data), database: settingsOf(url), limits }
  const lines = { write: (line: string) => void logLines.push(line), async close() {} }
  const hub = await startHub(settings, { lines })
  onTestFinished(async () => {
    await hub.stop()
    rmSync(data, { recursive: true, force: true })
  })
  const hubTokens = [{ account: 'ada', name: 'read', kind: 'read' }]
  const { done, close } = await openHub(url, { hub: undefined }, () => {})
  const made = await applied<string>(done, { ...openFile, hubTokens })
  await close()
  const authorization = `Bearer ${made['ada/read']}`
  return {
    logLines,
    requestToken: (branch = 'main') =>
      fetch(`${hub.url}/api/models/acme/open/storage-read-token/${branch}`, {
        headers: { authorization },
      }),
    report: (token) =>
      fetch(`${hub.url}/revoke`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ token }),
      }),
    async isRevoked(token) {
      const head = await fetch(hub.url + headPath)
      if (head.status !== 200) return undefined
      const { list: hash } = partOf<{ list: string }>(await head.text(), 1)
      const body = await fetch(`${hub.url}${headPath}/${hash}`)
      const list = readRevocationList(new Uint8Array(await body.arrayBuffer()))
      if (body.status !== 200 || list === undefined) return undefined
      const { kid } = partOf<{ kid: string }>(token, 0)
      return isCut(revocableOf(partOf(token, 1), kid), list)
    },
  }
}

function partOf<Part>(token: string, index: number): Part {
  return JSON.parse(Buffer.from(token.split('.')[index] ?? '', 'base64url').toString())
}
