import { execFileSync, spawnSync } from 'node:child_process'
import { copyFileSync, existsSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, it } from 'vitest'
import { latchkeyHere as latchkey } from './run-here.ts'
import { bin, environmentOf, type Serving, serve, temporaryDirectory } from './run-latchkey.ts'

/** What is to be pasted, and may be wider than the screen. */
const pasted = /^(?:curl|npx|export|eval) /
const readme = fileURLToPath(new URL('../../../README.md', import.meta.url))

const linesOf = ({ output }: Serving) => output().stdout.split('\n')
const commandsOf = (hub: Serving) => linesOf(hub).filter((line) => line.startsWith('curl '))
const tokensOf = (hub: Serving) => new Set(hub.output().stdout.match(/lk_[0-9A-Za-z]{49}/g))

const curl = spawnSync('curl', ['--version']).status === 0
if (!curl) console.warn('SKIPPED: curl is not installed, so the commands of the demo are not run')

async function startDemo(cwd: string, more: readonly string[] = []): Promise<Serving> {
  const hub = await serve(['--demo', ...more], { cwd })
  await expect.poll(() => hub.output().stdout).toContain('Ctrl+C')
  return hub
}

it.skipIf(!curl)('the three commands on the screen do what it says', async () => {
  const hub = await startDemo(temporaryDirectory(), ['--no-storage'])
  const answers = commandsOf(hub).map((command) =>
    JSON.parse(execFileSync('sh', ['-c', command], { encoding: 'utf8' })),
  )
  expect(answers).toMatchObject([
    { accessToken: expect.any(String), exp: expect.any(Number), casUrl: expect.any(String) },
    { accessToken: expect.any(String) },
    { status: 403, code: 'permission_denied' },
  ])
  const scopes = answers.slice(0, 2).map(({ accessToken }: { accessToken: string }) => {
    const [, claims = ''] = accessToken.split('.')
    return JSON.parse(Buffer.from(claims, 'base64url').toString()).scope
  })
  expect(scopes).toEqual(['read', 'write'])
})

it('the explanation and the journal on the screen are commands too', async () => {
  const cwd = temporaryDirectory()
  const hub = await startDemo(cwd, ['--no-storage'])
  const runs = (verb: string) => {
    const command = linesOf(hub).find((line) => line.startsWith(`npx latchkey ${verb} `)) ?? ''
    return latchkey(command.split(' ').slice(2), { cwd })
  }
  const explained = await runs('explain')
  expect(explained.code).toBe(1)
  expect(explained.stdout).toContain('this needs a grant whose refs include release/1.0')
  const changes = await runs('changes')
  expect(changes.code).toBe(0)
  expect(changes.stdout).toContain('repository created models/acme/tiny-llama: public')
})

it.skipIf(!curl)(
  'the storage on the screen takes a file, gives it back, and refuses the rest',
  async () => {
    const cwd = temporaryDirectory()
    const hub = await startDemo(cwd)
    copyFileSync(readme, join(cwd, 'README.md'))
    const lines = linesOf(hub)
    const from = lines.findIndex((line) => line.startsWith('export LATCHKEY_HUB='))
    const script = lines.slice(from).filter((line) => pasted.test(line))
    expect(script).toHaveLength(4)
    const npx = `npx() { shift; '${process.execPath}' '${bin}' "$@"; }`
    const shell = spawnSync('sh', ['-c', [npx, ...script].join('\n')], {
      cwd,
      encoding: 'utf8',
      env: environmentOf({ cwd }),
    })
    const [hash, same, refusal = '', ...more] = shell.stdout.trim().split('\n')
    expect(hash).toMatch(/^[0-9a-f]{64}$/)
    expect(same).toBe('the same file')
    expect(JSON.parse(refusal)).toMatchObject({ status: 403, code: 'scope_insufficient' })
    expect(more).toEqual([])
    expect(shell.stderr).toMatch(
      /^latchkey: the storage answers 404 to GET \/v1\/reconstructions\/[0-9a-f]{64}: There is no file [^\n]+\n$/,
    )
    expect([shell.status, existsSync(join(cwd, 'copy.md'))]).toEqual([1, false])
  },
)

it('a demo without a storage of its own shows none', async () => {
  const hub = await startDemo(temporaryDirectory(), ['--no-storage'])
  expect(hub.output().stdout).not.toMatch(/storage {2}|latchkey upload/)
})

it('the screen names addresses that answer, has no colours in a pipe, and fits 100 columns', async () => {
  const hub = await startDemo(temporaryDirectory())
  const { stdout } = hub.output()
  const addresses = stdout.match(/^ {2}(?:keys|API|health) +(\S+)$/gm) ?? []
  expect(addresses).toHaveLength(3)
  for (const line of addresses) {
    expect((await fetch(line.trim().split(/ +/)[1] ?? '')).status).toBe(200)
  }
  expect(stdout).not.toContain('\u001b')
  const read = linesOf(hub).filter((line) => !pasted.test(line))
  expect(Math.max(...read.map((line) => line.length))).toBeLessThanOrEqual(100)
})

it('a second start makes new hub tokens and ends the old ones', async () => {
  const cwd = temporaryDirectory()
  const first = await startDemo(cwd, ['--no-storage'])
  first.child.kill('SIGTERM')
  expect(await first.ended()).toBe(0)
  const second = await startDemo(cwd, ['--no-storage'])
  const [old, fresh] = [tokensOf(first), tokensOf(second)]
  expect(fresh.size).toBe(4)
  expect([...fresh].filter((token) => old.has(token))).toEqual([])
  const path = '/api/models/acme/tiny-llama/storage-read-token/main'
  for (const token of old) {
    const headers = { authorization: `Bearer ${token}` }
    expect((await fetch(second.url + path, { headers })).status).toBe(401)
  }
})

it('demo data and real data do not mix', async () => {
  const cwd = temporaryDirectory()
  const hub = await startDemo(cwd, ['--no-storage'])
  hub.child.kill('SIGTERM')
  await hub.ended()
  for (const args of [
    ['serve', '--port', '0'],
    ['account', 'list'],
    ['account', 'create', 'x'],
  ]) {
    const { code, stderr } = await latchkey([...args, '--data', 'latchkey-demo'], { cwd })
    expect(code).toBe(3)
    expect(stderr).toMatch(/^latchkey: the data directory latchkey-demo holds demo data[^\n]+\n$/)
  }
  await latchkey(['account', 'create', 'ada', '--data', 'real'], { cwd })
  const { code, stderr } = await latchkey(['serve', '--demo', '--port', '0', '--data', 'real'], {
    cwd,
  })
  expect(code).toBe(3)
  expect(stderr).toMatch(/^latchkey: the data directory real holds real data[^\n]+\n$/)
})

it('the demo refuses an address that others can reach', async () => {
  const urls = ['--public-url', 'https://hub.example', '--cas-url', 'https://cas.example']
  const { code, stderr } = await latchkey(['serve', '--demo', '--host', '0.0.0.0', ...urls], {
    cwd: temporaryDirectory(),
  })
  expect(code).toBe(2)
  expect(stderr).toMatch(/^latchkey: --host: the demo listens on a loopback address only[^\n]*\n$/)
})
