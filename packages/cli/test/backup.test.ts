import {
  copyFileSync,
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { directoryText } from './directory-file.ts'
import { end, latchkey, serve, temporaryDirectory } from './run-latchkey.ts'

it('a backup is taken while the hub serves, for its owner only, and can be restored', async () => {
  const cwd = temporaryDirectory()
  await latchkey(['apply', '-'], { cwd, input: directoryText })
  await serve([], { cwd })
  const { code, stdout, stderr } = await latchkey(['backup', 'copy.db'], { cwd })
  expect({ code, stdout }).toEqual({ code: 0, stdout: '' })
  expect(stderr).toMatch(/copy objects\/ next, and keep the master key too/)
  expect(statSync(join(cwd, 'copy.db')).mode & 0o777).toBe(0o600)
  expect(readdirSync(cwd).sort()).toEqual(['copy.db', 'latchkey-data'])

  mkdirSync(join(cwd, 'restored'), { mode: 0o700 })
  copyFileSync(join(cwd, 'copy.db'), join(cwd, 'restored', 'latchkey.db'))
  const { stdout: list } = await latchkey(['repo', 'list', '--data', 'restored'], { cwd })
  expect(list).toContain('models/acme/bert')
})

it('a backup overwrites nothing and leaves nothing half done', async () => {
  const cwd = temporaryDirectory()
  await latchkey(['account', 'create', 'ada'], { cwd })
  writeFileSync(join(cwd, 'mine'), 'mine')
  const taken = await latchkey(['backup', 'mine'], { cwd })
  expect(taken).toEqual({
    code: 1,
    stdout: '',
    stderr: 'latchkey: "mine" cannot be written: it exists already, and is not overwritten\n',
  })
  const nowhere = await latchkey(['backup', join('nowhere', 'b.db')], { cwd })
  expect(nowhere.code).toBe(3)
  expect(nowhere.stderr).toMatch(/its directory does not exist\n$/)
  expect(existsSync(join(cwd, 'nowhere'))).toBe(false)
  expect(readdirSync(cwd).sort()).toEqual(['latchkey-data', 'mine'])
})

/** As the help of `backup` says it. */
async function restore(cwd: string): Promise<void> {
  const data = join(cwd, 'latchkey-data')
  for (const name of ['latchkey.db-wal', 'latchkey.db-shm', 'objects']) {
    rmSync(join(data, name), { recursive: true, force: true })
  }
  copyFileSync(join(cwd, 'copy.db'), join(data, 'latchkey.db'))
  cpSync(join(cwd, 'copy-of-objects'), join(data, 'objects'), { recursive: true })
}

it('content is restored with the database: it can be verified, and has addresses that it never had', async () => {
  const cwd = temporaryDirectory()
  const target = 'models/acme/bert@main'
  const applied = await latchkey(['apply', '-', '--json'], { cwd, input: directoryText })
  const [{ token }] = JSON.parse(applied.stdout).hubTokens
  const asked = async (hub: string, ...args: string[]) => {
    const env = { LATCHKEY_HUB: hub, LATCHKEY_HUB_TOKEN: token }
    const { code, stdout, stderr } = await latchkey(args, { cwd, env })
    expect(stderr, args.join(' ')).not.toMatch(/^latchkey:/m)
    expect(code).toBe(0)
    return stdout.trim()
  }
  const address = async (hub: string): Promise<string> =>
    JSON.parse(await asked(hub, 'token', 'write', target, '--json')).casUrl

  const { url, child } = await serve([], { cwd })
  writeFileSync(join(cwd, 'before'), 'what the backup has')
  writeFileSync(join(cwd, 'after'), 'what came later')
  const hash = await asked(url, 'upload', target, 'before')
  const before = await address(url)
  await latchkey(['backup', 'copy.db'], { cwd })
  cpSync(join(cwd, 'latchkey-data', 'objects'), join(cwd, 'copy-of-objects'), { recursive: true })
  await asked(url, 'upload', target, 'after')
  await end(child)

  await restore(cwd)
  const { stderr } = await latchkey(['storage', 'verify', '--content'], { cwd })
  expect(stderr).toBe('1 object: it is whole.\n')
  expect((await latchkey(['storage', 'readdress'], { cwd })).code).toBe(0)
  const restored = await serve(['--storage-port', new URL(before).port], { cwd })
  expect(await address(restored.url)).toMatch(new RegExp(`^${before}-\\d{13}$`))
  await asked(restored.url, 'download', target, hash, '-o', 'again')
  expect(readFileSync(join(cwd, 'again'), 'utf8')).toBe('what the backup has')
  await asked(restored.url, 'upload', target, 'after')
})
