/** A hub and its storage in a process of their own, as one side of a benchmark. */

import { globSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { httpHubLink } from '@latchkey/gate/hub-link'
import { startHub } from '@latchkey/hub'
import { systemClock } from '@latchkey/service/machine/time'
import { objectsIn, type StorageSettings, startStorage } from '@latchkey/storage'
import { testSettings } from '@latchkey/testing/hub/hub-settings'
import { writeDirectory } from '@latchkey/testing/hub/write-directory'
import { freePort } from '@latchkey/testing/machine/free-port'
import { workHere } from '@latchkey/testing/machine/work-here'
import type { Ready } from './sides.ts'

const data = mkdtempSync(join(tmpdir(), 'latchkey-bench-storage-'))
const port = await freePort()
const publicUrl = 'http://127.0.0.1:8080'
const casUrl = `http://127.0.0.1:${port}/r/{repo}/{ref}`

const hubSettings = testSettings(data, {
  publicUrl,
  casUrl,
  token: { lifetimeSeconds: 3600 },
  log: { level: 'info' },
})

const storageSettings: StorageSettings = {
  ...{ data, casUrl, port, host: '127.0.0.1', issuer: publicUrl },
  isolation: 'ref',
  quota: { bytes: undefined, objects: undefined },
  leewaySeconds: 30,
  timeouts: { idleSeconds: 60, totalSeconds: 3600, minBytesPerSecond: 1024 },
  cors: { origins: [] },
  allowedHosts: [],
  trustedProxies: [],
  limits: { failuresPerMinute: 300, connections: 10_000 },
  log: { level: 'info' },
  stopDeadlineSeconds: 1,
}

const hubToken = await makeWorld()
const lines = { write: (line: string) => process.stdout.write(`${line}\n`), async close() {} }
const hub = await startHub(hubSettings, { lines })
const { credential } = hub.embedded
const { publicUrl: issuer } = hubSettings
const link = httpHubLink({ hubUrl: hub.url, issuer, credential, clock: systemClock })
// The word of the side that works as if there were no threads.
const openPool = process.argv.includes('in-process') ? { openPool: workHere } : {}
await startStorage(storageSettings, { link }, { lines, ...openPool })
process.send?.(await access())
process.on('message', () => {
  // Rows stay: no xorb is sent twice.
  for (const file of globSync(join(objectsIn(data).folder, '??/*'))) rmSync(file)
  process.send?.('empty')
})
process.on('disconnect', () => {
  rmSync(data, { recursive: true, force: true })
  process.exit()
})

async function makeWorld(): Promise<string> {
  const file = {
    accounts: [{ name: 'writer' }],
    namespaces: [{ name: 'acme', members: { writer: 'write' } }],
    repositories: [
      {
        type: 'model',
        id: 'acme/bert',
        visibility: 'private',
        branches: { main: 'a'.repeat(40) },
      },
    ],
    hubTokens: [{ account: 'writer', name: 'bench', kind: 'write' }],
  }
  const made = await writeDirectory<'writer/bench'>(hubSettings, file)
  return made['writer/bench']
}

async function access(): Promise<Ready> {
  const response = await fetch(`${hub.url}/api/models/acme/bert/storage-write-token/main`, {
    headers: { authorization: `Bearer ${hubToken}` },
  })
  const given = (await response.json()) as { casUrl: string; accessToken: string }
  return { url: given.casUrl, authorization: `Bearer ${given.accessToken}` }
}
