import { existsSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { directoryFile, directoryText } from './directory-file.ts'
import { latchkeyHere as latchkey } from './run-here.ts'
import { temporaryDirectory } from './run-latchkey.ts'

it('makes what the file names, shows new tokens once, and nothing the second time', async () => {
  const cwd = temporaryDirectory()
  writeFileSync(join(cwd, 'directory.json'), directoryText)
  const first = await latchkey(['apply', 'directory.json'], { cwd })
  expect(first.code).toBe(0)
  expect(first.stdout.match(/lk_[0-9A-Za-z]{49}/g)).toHaveLength(2)
  expect(first.stderr).toContain('The tokens are shown only once')
  const again = await latchkey(['apply', 'directory.json'], { cwd })
  expect(again).toEqual({
    code: 0,
    stdout: '',
    stderr: 'No change is needed; nothing has changed.\n',
  })
})

it('reads standard input, and prints new tokens as JSON', async () => {
  const cwd = temporaryDirectory()
  const { code, stdout } = await latchkey(['apply', '-', '--json'], { cwd, input: directoryText })
  expect(code).toBe(0)
  expect(JSON.parse(stdout)).toMatchObject({
    hubTokens: [
      { account: 'ada', name: 'laptop', token: expect.stringMatching(/^lk_/) },
      { account: 'ada', name: 'admin', token: expect.stringMatching(/^lk_/) },
    ],
  })
})

it('writes new tokens to a new file of mode 600 with --output, and does not show them', async () => {
  const cwd = temporaryDirectory()
  const args = ['apply', '-', '--json', '--output', 'tokens.json']
  const { code, stdout, stderr } = await latchkey(args, { cwd, input: directoryText })
  const written = JSON.parse(readFileSync(join(cwd, 'tokens.json'), 'utf8'))
  expect(code).toBe(0)
  expect(written.hubTokens.map(({ name }: { name: string }) => name)).toEqual(['laptop', 'admin'])
  expect(statSync(join(cwd, 'tokens.json')).mode & 0o777).toBe(0o600)
  expect(stdout + stderr).not.toMatch(/lk_[0-9A-Za-z]{49}/)
})

it('takes away what is not named only with --prune', async () => {
  const cwd = temporaryDirectory()
  await latchkey(['apply', '-'], { cwd, input: directoryText })
  const input = JSON.stringify({ accounts: directoryFile.accounts.slice(0, 1) })
  const names = async () => {
    const { items } = JSON.parse((await latchkey(['account', 'list', '--json'], { cwd })).stdout)
    return items.map(({ name }: { name: string }) => name)
  }
  await latchkey(['apply', '-'], { cwd, input })
  expect(await names()).toEqual(['ada', 'guest'])
  await latchkey(['apply', '-', '--prune'], { cwd, input })
  expect(await names()).toEqual(['ada'])
})

it.each([
  [
    'a branch that is no hash',
    {
      ...directoryFile,
      repositories: [{ ...directoryFile.repositories[0], branches: { main: 'abc' } }],
    },
    2,
    'repositories[0].branches.main',
  ],
  [
    'an unknown key',
    { ...directoryFile, accounts: [{ name: 'ada', admin: true }] },
    2,
    'accounts[0].admin',
  ],
  [
    'a member that is no account',
    { ...directoryFile, namespaces: [{ name: 'acme', members: { bob: 'read' } }] },
    1,
    'namespaces[0].members.bob',
  ],
])('%s is one line with its place, and changes nothing', async (_, file, exit, place) => {
  const cwd = temporaryDirectory()
  await latchkey(['account', 'create', 'before'], { cwd })
  const args = ['apply', '-', '--output', 'tokens.json']
  const { code, stdout, stderr } = await latchkey(args, { cwd, input: JSON.stringify(file) })
  expect({ code, stdout }).toEqual({ code: exit, stdout: '' })
  expect(stderr).toMatch(/^latchkey: [^\n]+\n$/)
  expect(stderr).toContain(place)
  expect(existsSync(join(cwd, 'tokens.json'))).toBe(false)
  const { items } = JSON.parse((await latchkey(['account', 'list', '--json'], { cwd })).stdout)
  expect(items).toMatchObject([{ name: 'before' }])
})

it('a file that is not there or no JSON is one line', async () => {
  const cwd = temporaryDirectory()
  const missing = await latchkey(['apply', 'nowhere.json'], { cwd })
  expect(missing).toMatchObject({ code: 3, stdout: '' })
  expect(missing.stderr).toMatch(/^latchkey: "nowhere\.json" cannot be read: [^\n]+\n$/)
  const broken = await latchkey(['apply', '-'], { cwd, input: '{"accounts":' })
  expect(broken).toMatchObject({ code: 2, stdout: '' })
  expect(broken.stderr.trimEnd().split('\n').at(-1)).toMatch(/^latchkey: /)
})

it('a dry run tells what would be done, and the next run does it', async () => {
  const cwd = temporaryDirectory()
  const first = JSON.stringify({ accounts: [{ name: 'ada' }, { name: 'bob' }] })
  expect(await latchkey(['apply', '-', '--dry-run'], { cwd, input: first })).toEqual({
    code: 3,
    stdout: '',
    stderr: expect.stringMatching(
      /^latchkey: there is no database [^\n]+ needs a database to compare the file with\. [^\n]+ without --dry-run\.\n$/,
    ),
  })
  expect(readdirSync(cwd)).toEqual([])
  await latchkey(['apply', '-'], { cwd, input: first })
  const next = JSON.stringify({ accounts: [{ name: 'ada' }, { name: 'cyd' }] })
  const tried = await latchkey(['apply', '-', '--prune', '--dry-run'], { cwd, input: next })
  expect(tried.stdout).toMatch(/^deleted +account +bob\ncreated +account +cyd$/m)
  expect(tried.stderr).toBe('These changes would be made; nothing has changed.\n')
  const { stdout } = await latchkey(['account', 'list'], { cwd })
  expect(stdout).toContain('bob')
  const done = await latchkey(['apply', '-', '--prune'], { cwd, input: next })
  expect(done.stdout).toBe(tried.stdout)
})

it('makes no file for secrets where no hub token is made: in a dry run, or the second time', async () => {
  const cwd = temporaryDirectory()
  await latchkey(['account', 'create', 'before'], { cwd })
  const apply = (...more: readonly string[]) =>
    latchkey(['apply', '-', '--output', 'tokens.json', ...more], { cwd, input: directoryText })
  const file = join(cwd, 'tokens.json')
  const tried = await apply('--dry-run')
  expect(tried).toMatchObject({
    code: 0,
    stderr: 'These changes would be made; nothing has changed.\n',
  })
  expect(existsSync(file)).toBe(false)
  const done = await apply()
  expect(done.stderr).toMatch(/^the secret is written to tokens\.json/)
  rmSync(file)
  expect(await apply()).toMatchObject({
    code: 0,
    stderr: 'No change is needed; nothing has changed.\n',
  })
  expect(existsSync(file)).toBe(false)
})
