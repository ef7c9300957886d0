/** A forge alone serves the repositories of its hub, waits for it, and is the only one. */

import { spawnSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { freePort } from '@latchkey/testing/machine/free-port'
import { expect, onTestFinished, test } from 'vitest'
import { latchkeyHere as latchkey } from '../run-here.ts'
import {
  end,
  latchkey as latchkeyProcess,
  ready,
  start,
  temporaryDirectory,
} from '../run-latchkey.ts'
import { forgeHere, hubHere } from '../serve-here.ts'

const isGitThere = spawnSync('git', ['--version']).status === 0
if (!isGitThere) console.warn('SKIPPED: git is not installed, so no forge runs alone')

const directory = JSON.stringify({
  accounts: [{ name: 'ada', administrator: true }],
  namespaces: [{ name: 'acme', members: { ada: 'admin' } }],
  hubTokens: [
    { account: 'ada', name: 'laptop', kind: 'write' },
    { account: 'ada', name: 'git', kind: 'forge' },
  ],
})

test.skipIf(!isGitThere)(
  'a forge alone waits for its hub, outlives its restart, and is the only one of its directory',
  async () => {
    const [home, elsewhere] = [temporaryDirectory(), temporaryDirectory()]
    const made = await latchkey(['apply', '-', '--json'], { cwd: home, input: directory })
    const tokens: { name: string; token: string }[] = JSON.parse(made.stdout).hubTokens
    const tokenOf = (wanted: string) => tokens.find(({ name }) => name === wanted)?.token ?? ''
    const [hubPort, port] = [String(await freePort()), String(await freePort())]
    const hubUrl = `http://127.0.0.1:${hubPort}`
    const credentialFile = join(elsewhere, 'forge.token')
    writeFileSync(credentialFile, `${tokenOf('git')}\n`, { mode: 0o600 })
    const around = {
      cwd: elsewhere,
      env: { LATCHKEY_FORGE_CREDENTIAL_FILE: credentialFile },
    }
    const args = ['forge', 'serve', '--hub', hubUrl, '--trusted-proxies', '127.0.0.1']
    const child = start([...args, '--port', port], around)
    onTestFinished(() => end(child))
    const forge = await ready(child)
    expect(forge.output().stderr).toContain('requests get 503')
    const readiness = async () => (await fetch(`${forge.url}/readyz`)).status
    expect(await readiness()).toBe(503)

    const flags = { port: hubPort, storage: false, forgeUrl: `http://127.0.0.1:${port}` }
    const startHub = () => hubHere(join(home, 'latchkey-data'), flags)
    let hub = await startHub()
    onTestFinished(() => hub.stop())
    await expect.poll(readiness, { timeout: 20_000 }).toBe(200)
    const ask = (path: string, body?: object) =>
      fetch(hubUrl + path, {
        headers: {
          authorization: `Bearer ${tokenOf('laptop')}`,
          'content-type': 'application/json',
        },
        ...(body && { method: 'POST', body: JSON.stringify(body) }),
      })
    expect((await ask('/api/repos/create', { name: 'bert', organization: 'acme' })).status).toBe(
      200,
    )

    await hub.stop()
    await expect.poll(readiness, { timeout: 20_000 }).toBe(503)
    hub = await startHub()
    await expect.poll(readiness, { timeout: 20_000 }).toBe(200)
    expect((await ask('/api/models/acme/bert')).status).toBe(200)

    const beside = await latchkeyProcess([...args, '--port', '0'], around)
    expect([beside.code, beside.stderr]).toEqual([
      3,
      expect.stringContaining('latchkey-forge-data'),
    ])
    const other = forgeHere(
      { hub: hubUrl, port: '0', data: join(temporaryDirectory(), 'other') },
      { LATCHKEY_FORGE_CREDENTIAL: tokenOf('git') },
    )
    await expect(other).rejects.toThrow('latchkey forge adopt')
    const { stdout, stderr } = forge.output()
    expect(stdout + stderr).not.toContain(tokenOf('git'))
  },
)
