/** What a hub leaves behind when it ends badly: messages and reports without a secret in them. */

import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { rounds } from '@latchkey/testing/chance'
import { askHub } from '@latchkey/testing/hub/ask-hub'
import { type Canary, found } from '@latchkey/testing/hub/canary'
import { type Prepared, prepareData } from '@latchkey/testing/hub/prepared-data'
import { type Serving, serve } from '@latchkey/testing/machine/command'
import { copyOfData, filesIn, sharedFolder } from '@latchkey/testing/machine/folder'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { hubTokenCanaries, masterKeyCanary, privateKeyCanaries } from './known-secrets.ts'

let prepared: Prepared
let canaries: readonly Canary[]
let token: string
const shared = sharedFolder()
beforeAll(async () => {
  prepared = await prepareData(shared)
  const keys = [masterKeyCanary(prepared), ...(await privateKeyCanaries(prepared))]
  canaries = [...hubTokenCanaries(prepared), ...keys]
  token = prepared.tokens['writer/write'] ?? ''
})

describe('a hub that ends badly', () => {
  test.each((['SIGABRT', 'SIGSEGV', 'SIGKILL'] as const).slice(0, rounds(1, 3)))(
    'by %s prints no secret',
    async (signal) => {
      const { hub } = await busyHub([])
      const { stdout, stderr } = await hub.end(signal)
      expect(
        found(
          canaries,
          new Map([
            ['log', stdout],
            ['messages', stderr],
          ]),
        ),
      ).toEqual([])
    },
  )
})

describe('a hub with tools to look into it', () => {
  const folder = sharedFolder()
  let hub: Serving
  beforeAll(async () => {
    const throwing = `process.on('SIGWINCH', () => { throw new Error('boom at ${token}') })`
    // Not among the arguments, which are in the report.
    const program = join(shared, 'throwing.mjs')
    writeFileSync(program, throwing)
    const reporting = ['--report-on-signal', '--report-directory', folder]
    ;({ hub } = await busyHub([...reporting, '--import', program]))
  })
  afterAll(() => hub.end('SIGKILL'))

  test('writes a diagnostic report that holds neither the master key nor a token', async () => {
    hub.child.kill('SIGUSR2')
    const report = await reportIn(folder)
    const { environmentVariables } = JSON.parse(report.toString()) as {
      environmentVariables: Record<string, string>
    }
    expect(environmentVariables).toHaveProperty('LATCHKEY_LOG_LEVEL', 'debug')
    expect(Object.keys(environmentVariables)).not.toContain('LATCHKEY_MASTER_KEY')
    expect(found(canaries, new Map([['report', report]]))).toEqual([])
  })

  test('ended by an exception nobody expected says so in one line without the secret in it', async () => {
    const { stdout, stderr, code } = await hub.end('SIGWINCH')
    expect(code).toBe(3)
    expect(stderr).toMatch(/^latchkey: .*boom at \S*\[hub-token\]$/m)
    expect(stderr).not.toMatch(/^\s+at /m)
    expect(
      found(
        canaries,
        new Map([
          ['log', stdout],
          ['messages', stderr],
        ]),
      ),
    ).toEqual([])
  })
})

/** A hub with its master key from the environment, in the middle of its work. */
async function busyHub(nodeFlags: readonly string[]): Promise<{ hub: Serving }> {
  const folder = mkdtempSync(join(shared, 'busy-'))
  const data = copyOfData(prepared.data, join(folder, 'data'))
  const masterKey = readFileSync(prepared.masterKey, 'utf8').trim()
  const env = { LATCHKEY_MASTER_KEY: masterKey, LATCHKEY_LOG_LEVEL: 'debug' }
  const hub = await serve(['--no-storage', '--data', data], { cwd: folder, env, nodeFlags })
  const { status } = await askHub(hub.url, 'write models/acme/bert@main', { token })
  expect(status).toBe(200)
  return { hub }
}

async function reportIn(folder: string): Promise<Buffer> {
  for (let attempt = 0; attempt < 200; attempt += 1) {
    const [report] = filesIn(folder).values()
    if (report?.toString().trimEnd().endsWith('}')) return report
    await delay(25)
  }
  throw new Error('no report was written')
}
