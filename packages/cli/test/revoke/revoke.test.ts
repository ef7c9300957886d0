/** `latchkey revoke …`: on the data of this machine and at a remote hub. */

import { randomBytes } from 'node:crypto'
import { copyFileSync, mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { dump } from '@latchkey/testing/hub/dump'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { directoryText } from '../directory-file.ts'
import { hasTerminal, onTerminal } from '../on-terminal.ts'
import { latchkeyHere as latchkey } from '../run-here.ts'
import { bin, type Ended } from '../run-latchkey.ts'
import { type Here, hubHere } from '../serve-here.ts'

const repository = 'models/acme/bert'
const cwd = mkdtempSync(join(tmpdir(), 'latchkey-revoke-'))
const data = join(cwd, 'latchkey-data')

let hub: Here
let tokens: readonly { readonly account: string; readonly name: string; readonly token: string }[]

beforeAll(async () => {
  const { stdout } = await run(['apply', '-', '--json'], directoryText)
  tokens = JSON.parse(stdout).hubTokens
  hub = await hubHere(data)
})
afterAll(async () => {
  await hub.stop()
  rmSync(cwd, { recursive: true })
})

function run(args: readonly string[], input?: string): Promise<Ended> {
  return latchkey(args, { cwd, ...(input === undefined ? {} : { input }) })
}

function hubToken(name: string): string {
  return tokens.find((one) => one.name === name)?.token ?? ''
}

/** From the hub that runs, as a client gets it. */
async function storageToken(): Promise<string> {
  const response = await fetch(`${hub.url}/api/${repository}/storage-read-token/main`, {
    headers: { authorization: `Bearer ${hubToken('laptop')}` },
  })
  return ((await response.json()) as { accessToken: string }).accessToken
}

/** The newest last. */
function cutOffs(): readonly Record<string, unknown>[] {
  const rows = dump(join(data, 'latchkey.db'))['cut_offs'] ?? []
  return rows.toSorted((one, other) => Number(one['made']) - Number(other['made']))
}

function jtiOf(token: string): string {
  return JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString()).jti
}

describe('latchkey revoke token', () => {
  it('takes back the token on standard input, and says when it counts', async () => {
    const token = await storageToken()
    const ended = await run(['revoke', 'token'], `${token}\n`)
    expect(ended).toMatchObject({ code: 0, stderr: '' })
    expect(ended.stdout).toMatch(/^WHAT +one storage token$/m)
    expect(ended.stdout).toMatch(
      /^BOUNDS +By default, .* within 9 s\. .* 60 s\. .*whenStale set to allow.*$/m,
    )
    expect(ended.stdout).toMatch(new RegExp(`^TOKEN ID +${jtiOf(token)}$`, 'm'))
    expect(cutOffs().at(-1)).toMatchObject({ kind: 'token', id: jtiOf(token) })
    const [, , signature = ''] = token.split('.')
    expect(ended.stdout).not.toContain(signature.slice(0, 20))
    const log = readFileSync(join(data, 'commands.log'), 'utf8')
    expect(log).toContain(`"tokenId":"${jtiOf(token)}"`)
    expect(log).not.toContain(signature.slice(0, 20))
  })

  it('says so when there is nothing to do', async () => {
    const token = await storageToken()
    await run(['revoke', 'token'], token)
    const again = await run(['revoke', 'token', '--json'], token)
    expect(again.code).toBe(0)
    expect(JSON.parse(again.stdout)).toEqual({
      revoked: false,
      what: expect.stringContaining('revoked already'),
    })
  })

  describe('after a rewrap of the keys that was cut off', () => {
    const [file, next, aside] = ['master.key', 'master.key.new', 'aside'].map((name) =>
      join(data, name),
    ) as [string, string, string]
    const writeOther = (name: string) =>
      writeFileSync(name, `${randomBytes(32).toString('base64')}\n`, { mode: 0o600 })
    beforeEach(() => renameSync(file, aside))
    afterEach(() => {
      rmSync(next, { force: true })
      renameSync(aside, file)
    })

    it('takes the master key that opens the keys', async () => {
      const token = await storageToken()
      copyFileSync(aside, next)
      writeOther(file)
      expect(await run(['revoke', 'token'], token)).toMatchObject({ code: 0, stderr: '' })
      expect(cutOffs().at(-1)).toMatchObject({ kind: 'token', id: jtiOf(token) })
    })

    it('says so when none opens them, and does not call the token foreign', async () => {
      const [token, before] = [await storageToken(), cutOffs()]
      for (const name of [file, next]) writeOther(name)
      const { code, stdout, stderr } = await run(['revoke', 'token'], token)
      expect({ code, stdout }).toEqual({ code: 3, stdout: '' })
      expect(stderr).toMatch(/^latchkey: the signing key \S+ cannot be decrypted: [^\n]+\n$/)
      expect(cutOffs()).toEqual(before)
    })
  })

  it('works at a remote hub, which gets the token in the body', async () => {
    const token = await storageToken()
    const env = { LATCHKEY_HUB_TOKEN: hubToken('admin') }
    const args = ['revoke', 'token', '--hub', hub.url]
    const ended = await latchkey(args, { cwd, env, input: token })
    expect(ended).toMatchObject({ code: 0, stderr: '' })
    expect(cutOffs().at(-1)).toMatchObject({ kind: 'token', id: jtiOf(token) })
  })

  it.each([
    ['nothing', () => '', 'standard input is empty: pipe the token in'],
    ['no token', () => 'secret-words', 'standard input: what it has must be a storage token'],
    [
      'a hub token',
      () => hubToken('laptop'),
      'A hub token is revoked by its id: find it with latchkey hub-token list',
    ],
    ['a header line', () => `Authorization: Bearer ${'a'.repeat(20)}`, 'must be a storage token'],
    [
      'two tokens',
      async () => `${await storageToken()}\n${await storageToken()}\n`,
      'must be a st',
    ],
    ['more than any token', () => 'a'.repeat(70_000), 'must be a storage token'],
    ['a forged one', async () => `${(await storageToken()).slice(0, -8)}AAAAAAAA`, 'token'],
  ])('refuses %s in one line that repeats none of it', async (_, make, sentence) => {
    const input = await make()
    const before = cutOffs()
    const { code, stdout, stderr } = await run(['revoke', 'token'], input)
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' })
    expect(stderr).toMatch(/^latchkey: [^\n]+\n$/)
    expect(stderr).toContain(sentence)
    if (input !== '') expect(stderr).not.toContain(input.slice(-12))
    expect(cutOffs()).toEqual(before)
  })

  it('takes no token as an argument or a flag', async () => {
    const token = await storageToken()
    for (const args of [[token], ['--token', token]]) {
      const { code, stderr } = await run(['revoke', 'token', ...args])
      expect(code).toBe(2)
      expect(stderr).not.toContain(token.slice(-20))
    }
    const { stdout } = await run(['revoke', 'token', '--help'])
    expect(stdout).toContain('latchkey revoke token < token.txt\n')
    expect(stdout).toContain('standard input')
    expect(stdout).not.toContain('--token')
  })

  it.runIf(hasTerminal)('asks nobody at a terminal', async () => {
    const command = [process.execPath, bin, 'revoke', 'token']
    const { code, screen } = await onTerminal(command, [], { cwd })
    expect(code).toBe(2)
    expect(screen).toContain('is read from standard input')
  })
})

describe('latchkey revoke', () => {
  it('account: its tokens until now, and says how to close it', async () => {
    const { code, stdout } = await run(['revoke', 'account', 'guest'])
    expect(code).toBe(0)
    expect(stdout).toMatch(/^ADVICE +.*latchkey account set guest --disabled$/m)
    expect(cutOffs().at(-1)).toMatchObject({ kind: 'account' })
  })

  it('repository and ref: what was issued for them until now', async () => {
    expect(await run(['revoke', 'repository', repository])).toMatchObject({ code: 0 })
    expect(cutOffs().at(-1)).toMatchObject({ kind: 'repository' })
    const { code, stdout } = await run(['revoke', 'ref', repository, 'main'])
    expect(code).toBe(0)
    expect(stdout).toMatch(/^REF +refs\/heads\/main$/m)
    expect(cutOffs().at(-1)).toMatchObject({ kind: 'ref' })
    const changes = await run(['changes', '--repo', repository])
    expect(changes.stdout).toMatch(/storage tokens revoked models\/acme\/bert: by repository\b/)
    expect(changes.stdout).toMatch(
      /storage tokens revoked models\/acme\/bert@refs\/heads\/main: by ref\b/,
    )
  })

  it('hub-token: for good', async () => {
    const made = await run([...words('hub-token create ada spare --kind read'), '--json'])
    const { id, token } = JSON.parse(made.stdout)
    const { code, stdout } = await run(['revoke', 'hub-token', id])
    expect(code).toBe(0)
    expect(stdout).toContain('ada/spare for good')
    expect(cutOffs().at(-1)).toMatchObject({ kind: 'hub-token', id })
    const mistaken = await run(['revoke', 'hub-token', token])
    expect(mistaken.code).toBe(2)
    expect(mistaken.stderr).not.toContain(token.slice(-20))
  })

  it('what is not there is told in one line', async () => {
    const { code, stderr } = await run(['revoke', 'account', 'nobody'])
    expect(code).toBe(1)
    expect(stderr).toMatch(/^latchkey: There is no account "nobody"\. Check the name; [^\n]*\n$/)
  })
})

function words(line: string): string[] {
  return line.split(' ')
}
