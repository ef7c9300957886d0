/** A hub with repositories asks its storage at the address that clients have, so it must trust the certificate there. */

import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { freePort } from '@latchkey/testing/machine/free-port'
import { newIssuer } from '@latchkey/testing/tls/certificates'
import { openTlsFront } from '@latchkey/testing/tls/tls-front'
import { findProgram } from '@latchkey/testing/tools/find-program'
import { describe, expect, onTestFinished, test, vi } from 'vitest'
import { latchkeyHere } from '../run-here.ts'
import { end, latchkey, ready, start } from '../run-latchkey.ts'

const isGitMissing = findProgram('git') === undefined
if (isGitMissing) console.warn('SKIPPED: git is not installed, so no forge runs')

const directory = JSON.stringify({
  accounts: [{ name: 'ada' }],
  namespaces: [{ name: 'acme', members: { ada: 'admin' } }],
  hubTokens: [{ account: 'ada', name: 'laptop', kind: 'write' }],
})

describe.skipIf(isGitMissing)('a forge whose storage is behind TLS', () => {
  test('reaches it with --ca-cert', async () => {
    const { args, askLargeFile, doctor } = await hubBehindTls()
    await serving([...args, '--ca-cert', 'ca.pem'])
    expect(await askLargeFile()).not.toBe('upstream_unreachable')
    const { code, stdout } = await doctor('--ca-cert', 'ca.pem')
    expect(stdout).toMatch(/✓ +https:\/\/localhost:\d+ leads to it/)
    expect(code).toBe(0)
  })

  test('without it says in the log why not, and the doctor says it too', async () => {
    const { args, askLargeFile, doctor } = await hubBehindTls()
    const { output } = await serving(args)
    expect(await askLargeFile()).toBe('upstream_unreachable')
    await vi.waitFor(() =>
      expect(output().stdout).toMatch(
        /"event":"forge_failed"[^\n]*the storage: https:\/\/localhost:\d+: the issuer of its certificate[^\n]*--ca-cert FILE/,
      ),
    )
    const { code, stdout } = await doctor()
    expect(stdout).toMatch(/✗ +https:\/\/localhost:\d+ does not answer this machine: the issuer/)
    expect(code).toBe(1)
  })

  const cwds = { cwd: '' }

  async function serving(args: readonly string[]) {
    const child = start(['serve', ...args], { cwd: cwds.cwd })
    onTestFinished(() => end(child))
    return ready(child)
  }

  async function hubBehindTls() {
    const cwd = mkdtempSync(join(tmpdir(), 'latchkey-forge-tls-'))
    onTestFinished(() => rmSync(cwd, { recursive: true }))
    cwds.cwd = cwd
    const issuer = newIssuer('Latchkey test issuer')
    writeFileSync(join(cwd, 'ca.pem'), issuer.cert)
    const { stdout } = await latchkeyHere(['apply', '-', '--json'], { cwd, input: directory })
    const token: string = JSON.parse(stdout).hubTokens[0].token
    const [port, storagePort] = [await freePort(), await freePort()]
    const certificate = issuer.issue({ names: ['localhost'] })
    const front = await openTlsFront(certificate, `http://127.0.0.1:${storagePort}`)
    onTestFinished(front.close)
    const ports = ['--port', `${port}`, '--storage-port', `${storagePort}`]
    const args = ['--forge', ...ports, '--cas-url', `${front.url}/r/{repo}/{ref}`]
    const api = async (path: string, body: string) => {
      const answer = await fetch(`http://127.0.0.1:${port}/api/${path}`, {
        ...{ method: 'POST', body },
        headers: {
          authorization: `Bearer ${token}`,
          'content-type': path.includes('/commit/') ? 'application/x-ndjson' : 'application/json',
        },
      })
      return answer.json() as Promise<{ code?: string }>
    }
    return {
      args,
      /** The code of the answer to a commit of content that nobody has. */
      async askLargeFile() {
        await api('repos/create', JSON.stringify({ name: 'bert', organization: 'acme' }))
        const value = { path: 'x', algo: 'sha256', oid: 'a'.repeat(64), size: 5 }
        const lines = [
          { key: 'header', value: { summary: 'a commit' } },
          { key: 'lfsFile', value },
        ]
        const body = lines.map((line) => JSON.stringify(line)).join('\n')
        return (await api('models/acme/bert/commit/main', body)).code
      },
      doctor: (...more: readonly string[]) => latchkey(['doctor', ...args, ...more], { cwd }),
    }
  }
})
