/** A hub on PostgreSQL that serves HTTP, as its clients and gates meet it. */

import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createGate } from '@latchkey/gate'
import { startHub } from '@latchkey/hub'
import { isRefusal } from '@latchkey/protocol'
import { type SettingsChange, testSettings } from '@latchkey/testing/hub/hub-settings'
import { applied } from '@latchkey/testing/hub/run-verbs'
import { onTestFinished } from 'vitest'
import { openFile, openHub, settingsOf } from './open-hub.ts'

export interface ServedHub {
  readonly logLines: readonly string[]
  /** A storage token for a branch of the repository of `openFile`. */
  requestToken(branch?: string): Promise<Response>
  report(token: string): Promise<Response>
  /** The signed head of the revocation list. */
  requestHead(): Promise<Response>
  /** A gate that has heard nothing yet. */
  newGate(): ServedGate
}

export interface ServedGate {
  /** `admitted`, or why the token is refused. */
  judge(token: string): Promise<string>
  /** Asks for the list in the background until the test is over, as in operation. */
  poll(): void
}

/** The directory is `openFile`. Stopped when the test is over. */
export async function serveHub(
  url: string,
  change: Pick<SettingsChange, 'stalenessSeconds'> = {},
): Promise<ServedHub> {
  const data = mkdtempSync(join(tmpdir(), 'latchkey-hub-'))
  const logLines: string[] = []
  const limits = { requestsPerMinute: 0, failuresPerMinute: 0, connections: 10_000 }
  const settings = { ...testSettings(data, change), database: settingsOf(url), limits }
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
    requestHead: () => fetch(`${hub.url}/.well-known/storage-revocations`),
    newGate() {
      const { verifyToken, revocations } = createGate({
        hubUrl: hub.url,
        issuer: settings.publicUrl,
        casUrl: settings.casUrl,
        pollSeconds: 1,
        onKeyFailure() {},
        onRevocationFailure() {},
      })
      return {
        async judge(token) {
          const judged = await verifyToken(token, undefined)
          return isRefusal(judged) ? (judged.reason ?? judged.code) : 'admitted'
        },
        poll: () => onTestFinished(revocations.poll()),
      }
    },
  }
}
