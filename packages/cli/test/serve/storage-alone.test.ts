import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { keystream } from '@latchkey/testing/keystream'
import { freePort } from '@latchkey/testing/machine/free-port'
import { expect, it, onTestFinished } from 'vitest'
import { commit } from '../directory-file.ts'
import { latchkeyHere as latchkey } from '../run-here.ts'
import { end, ready, start, temporaryDirectory } from '../run-latchkey.ts'
import { hubHere } from '../serve-here.ts'

const directory = JSON.stringify({
  accounts: [{ name: 'ada', administrator: true }],
  namespaces: [{ name: 'acme', members: { ada: 'admin' } }],
  repositories: [
    { type: 'model', id: 'acme/bert', visibility: 'private', branches: { main: commit } },
  ],
  hubTokens: [
    { account: 'ada', name: 'laptop', kind: 'write' },
    { account: 'ada', name: 'cas', kind: 'storage' },
  ],
})

it('a storage alone serves the clients of its hub, and says what to do when its credential ends', async () => {
  const [home, elsewhere] = [temporaryDirectory(), temporaryDirectory()]
  const made = await latchkey(['apply', '-', '--json'], { cwd: home, input: directory })
  const tokens: { name: string; token: string }[] = JSON.parse(made.stdout).hubTokens
  const tokenOf = (wanted: string) => tokens.find(({ name }) => name === wanted)?.token ?? ''
  const port = String(await freePort())
  const casUrl = `http://127.0.0.1:${port}/r/{repo}/{ref}`
  const hub = await hubHere(join(home, 'latchkey-data'), { storage: false, casUrl })
  onTestFinished(hub.stop)
  const credentialFile = join(elsewhere, 'cas.token')
  writeFileSync(credentialFile, `${tokenOf('cas')}\n`, { mode: 0o600 })
  const child = start(['storage', 'serve', '--hub', hub.url, '--cas-url', casUrl, '--port', port], {
    cwd: elsewhere,
    env: { LATCHKEY_STORAGE_CREDENTIAL_FILE: credentialFile },
  })
  onTestFinished(() => end(child))
  const storage = await ready(child)

  const env = { LATCHKEY_HUB: hub.url, LATCHKEY_HUB_TOKEN: tokenOf('laptop') }
  const cwd = temporaryDirectory()
  const bytes = keystream('alone', 300_000)
  writeFileSync(join(cwd, 'weights.bin'), bytes)
  const uploaded = await latchkey(['upload', 'models/acme/bert@main', 'weights.bin'], { cwd, env })
  expect([uploaded.code, uploaded.stderr]).toEqual([0, ''])
  const hash = uploaded.stdout.trim()
  const args = ['download', 'models/acme/bert@main', hash, '-o', 'copy.bin']
  expect((await latchkey(args, { cwd, env })).code).toBe(0)
  expect(readFileSync(join(cwd, 'copy.bin')).equals(bytes)).toBe(true)

  const listed = await latchkey(['hub-token', 'list', '--json'], { cwd: home })
  const { items }: { items: { id: string; name: string }[] } = JSON.parse(listed.stdout)
  const id = items.find(({ name }) => name === 'cas')?.id ?? ''
  expect((await latchkey(['hub-token', 'revoke', id], { cwd: home })).code).toBe(0)
  await expect.poll(() => storage.output().stdout).toContain('"hub_unreachable"')
  expect(storage.output().stdout).toMatch(
    /refused the credential of the storage [^\n]+ --kind storage/,
  )
  const { stdout, stderr } = storage.output()
  expect(stdout + stderr).not.toContain(tokenOf('cas'))
})
