import { existsSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { latchkeyHere as latchkey } from './run-here.ts'
import { latchkey as latchkeyAlone, temporaryDirectory } from './run-latchkey.ts'

describe('on the data directory', () => {
  it('the first account makes the directory for its owner only, and says so', async () => {
    const cwd = temporaryDirectory()
    // A process of ours makes files for its owner alone.
    const words = ['account', 'create', 'ada', '--administrator']
    const { code, stdout, stderr } = await latchkeyAlone(words, { cwd })
    expect({ code, stderr }).toEqual({
      code: 0,
      stderr: 'made the data directory ./latchkey-data\n',
    })
    expect(stdout).toMatch(/^NAME +ada$/m)
    expect(stdout).toMatch(/^ADMINISTRATOR +yes$/m)
    expect(modeOf(join(cwd, 'latchkey-data'))).toBe('700')
    expect(modeOf(join(cwd, 'latchkey-data', 'latchkey.db'))).toBe('600')
  })

  it('reading where there is no directory ends with 3 and makes none', async () => {
    const cwd = temporaryDirectory()
    for (const args of [
      ['account', 'list'],
      ['backup', 'b'],
    ]) {
      const { code, stderr } = await latchkey(args, { cwd })
      expect(code).toBe(3)
      expect(stderr).toMatch(/^latchkey: there is no database [^\n]*\n$/)
    }
    expect(existsSync(join(cwd, 'latchkey-data'))).toBe(false)
  })

  it('what is refused ends with 1 and one line', async () => {
    const cwd = await withAccount()
    const twin = await latchkey(['account', 'create', 'ADA'], { cwd })
    expect(twin).toMatchObject({ code: 1, stdout: '' })
    expect(twin.stderr).toMatch(/^latchkey: There is an account "ada" already[^\n]*\n$/)
    const stranger = await latchkey(['account', 'show', 'bob'], { cwd })
    expect(stranger).toMatchObject({ code: 1, stdout: '' })
  })

  it('lists are tables for people and JSON for machines', async () => {
    const cwd = await withAccount()
    const people = await latchkey(['account', 'list'], { cwd })
    expect(people.stdout).toMatch(/^ID +NAME +KIND +ADMINISTRATOR +DISABLED +CREATED AT\n/)
    const machines = await latchkey(['account', 'list', '--json'], { cwd })
    expect(JSON.parse(machines.stdout)).toMatchObject({ total: 1, items: [{ name: 'ada' }] })
    const nothing = await latchkey(['namespace', 'list'], { cwd })
    expect(nothing).toEqual({ code: 0, stdout: '', stderr: 'There are none.\n' })
  })

  it('a page that is not the last says how to go on', async () => {
    const cwd = await withAccount()
    await latchkey(['account', 'create', 'bob'], { cwd })
    const first = await latchkey(['account', 'list', '--limit', '1'], { cwd })
    expect(first.stderr).toBe("These are 1 of 2. Continue with --after 'ada'.\n")
    const next = await latchkey(['account', 'list', '--limit', '1', '--after', 'ada'], { cwd })
    expect(next.stdout).toContain('bob')
    expect(next.stdout).not.toMatch(/\bada\b/)
    const all = await latchkey(['account', 'list', '--limit', '1', '--all', '--json'], { cwd })
    expect(JSON.parse(all.stdout)).toMatchObject({
      ...{ total: 2, items: [{ name: 'ada' }, { name: 'bob' }] },
    })
  })

  it('a hub token is found by the hint that its holder can read off it', async () => {
    const cwd = await withAccount()
    const make = async (name: string) => {
      const words = ['hub-token', 'create', 'ada', name, '--kind', 'read', '--json']
      return JSON.parse((await latchkey(words, { cwd })).stdout) as { token: string; id: string }
    }
    const [{ token, id }] = [await make('laptop'), await make('ci')]
    const hint = token.slice(-10, -6)
    const found = await latchkey(['hub-token', 'list', '--hint', hint, '--json'], { cwd })
    expect(JSON.parse(found.stdout)).toMatchObject({ total: 1, items: [{ id, hint }] })
    const wrong = await latchkey(['hub-token', 'list', '--hint', token], { cwd })
    expect(wrong).toMatchObject({ code: 2, stdout: '' })
    expect(wrong.stderr).toContain('four characters')
    expect(wrong.stderr).not.toContain(token)
  })

  it('a switch is set with its name and taken back with no', async () => {
    const cwd = await withAccount()
    const set = async (flag: string) =>
      JSON.parse((await latchkey(['account', 'set', 'ada', flag, '--json'], { cwd })).stdout)
    expect(await set('--disabled')).toMatchObject({ disabled: true, administrator: false })
    expect(await set('--no-disabled')).toMatchObject({ disabled: false })
  })
})

describe('a new hub token', () => {
  const create = (name: string) => ['hub-token', 'create', 'ada', name, '--kind', 'write']

  it('is shown once, on standard output, and never listed', async () => {
    const cwd = await withAccount()
    const { code, stdout, stderr } = await latchkey(create('laptop'), { cwd })
    const token = /^TOKEN +(lk_[0-9A-Za-z]{49})$/m.exec(stdout)?.[1] ?? 'none'
    expect({ code, stderr }).toEqual({
      code: 0,
      stderr: 'The token is shown only once: keep it in a safe place.\n',
    })
    const listed = await latchkey(['hub-token', 'list', '--json'], { cwd })
    expect(listed.stdout).toContain('laptop')
    expect(listed.stdout).not.toContain(token)
  })

  // conformance: Attacks / 30. An attacker reads a secret in files, environment or arguments
  it('goes to a new file of mode 600 with --output, and is not shown', async () => {
    const cwd = await withAccount()
    for (const [file, more] of [
      ['one', []],
      ['two', ['--json']],
    ] as const) {
      const { code, stdout, stderr } = await latchkey(
        [...create(file), '--output', file, ...more],
        { cwd },
      )
      const token = readFileSync(join(cwd, file), 'utf8')
      expect(code).toBe(0)
      expect(token).toMatch(/^lk_[0-9A-Za-z]{49}\n$/)
      expect(modeOf(join(cwd, file))).toBe('600')
      expect(stdout + stderr).not.toContain(token.trim())
    }
  })

  it('is not made when its file exists already', async () => {
    const cwd = await withAccount()
    writeFileSync(join(cwd, 'taken'), 'mine')
    const { code, stderr } = await latchkey([...create('laptop'), '--output', 'taken'], { cwd })
    expect({ code, stderr }).toEqual({
      code: 1,
      stderr: 'latchkey: "taken" cannot be written: it exists already, and is not overwritten\n',
    })
    expect(readFileSync(join(cwd, 'taken'), 'utf8')).toBe('mine')
    expect((await latchkey(['hub-token', 'list'], { cwd })).stderr).toBe('There are none.\n')
  })

  it('leaves no file behind when it is refused', async () => {
    const cwd = await withAccount()
    const args = ['hub-token', 'create', 'bob', 'x', '--kind', 'read', '--output', 'token']
    expect((await latchkey(args, { cwd })).code).toBe(1)
    expect(existsSync(join(cwd, 'token'))).toBe(false)
  })

  it('makes a credential for a storage, which carries no grants', async () => {
    const cwd = await withAccount()
    const args = ['hub-token', 'create', 'ada', 'link', '--kind', 'storage']
    const refused = await latchkey([...args, '--grant', 'read:*'], { cwd })
    expect(refused).toMatchObject({ code: 2, stdout: '' })
    expect(refused.stderr).toContain('Only fine-grained hub tokens have grants')
    expect((await latchkey(args, { cwd })).code).toBe(0)
    const { stdout } = await latchkey(['hub-token', 'list', '--json'], { cwd })
    expect(JSON.parse(stdout).items).toMatchObject([{ name: 'link', kind: 'storage' }])
  })

  it('takes grants as they are typed', async () => {
    const cwd = await withAccount()
    const grants = ['write:models/acme/bert@main,release/*', 'read:acme/*']
    const args = ['hub-token', 'create', 'ada', 'ci', '--kind', 'fine-grained', '--json']
    const { stdout } = await latchkey([...args, ...grants.flatMap((grant) => ['--grant', grant])], {
      cwd,
    })
    expect(JSON.parse(stdout).grants).toEqual([
      { on: 'models/acme/bert', contents: 'write', refs: ['main', 'release/*'] },
      { on: 'acme/*', contents: 'read' },
    ])
  })
})

async function withAccount(): Promise<string> {
  const cwd = temporaryDirectory()
  await latchkey(['account', 'create', 'ada'], { cwd })
  return cwd
}

function modeOf(path: string): string {
  return (statSync(path).mode & 0o777).toString(8)
}

describe('a refusal of the hub names what was typed', () => {
  it.each([
    [
      'hub-token create ada x --kind read --expires-at 2001-01-01T00:00:00Z',
      /^latchkey: --expires-at: The expiry/,
    ],
    ['hub-token create ada x --kind admin', /^latchkey: --kind: Only administrators/],
    ['hub-token create ada x --kind fine-grained', /^latchkey: --grant: A fine-grained hub token/],
    [
      'ref set models/acme/bert refs/tags/v1 --from main',
      /^latchkey: --from: .* Leave out --from\./,
    ],
    ['ref set models/acme/bert refs/tags/v1', /^latchkey: <commit>: A new tag needs a commit/],
    [
      `ref set models/acme/bert main ${'1'.repeat(40)} --expect ${'2'.repeat(40)}`,
      /^latchkey: --expect: main is at no commit yet/,
    ],
    [
      `ref set models/acme/bert main ${'0'.repeat(40)}`,
      /^latchkey: <commit>: "0+" must be a full commit hash/,
    ],
  ])('%s', async (words, line) => {
    const cwd = temporaryDirectory()
    for (const made of [
      'account create ada',
      'namespace create acme',
      'repo create models/acme/bert',
    ]) {
      await latchkey(made.split(' '), { cwd })
    }
    const { code, stderr } = await latchkey(words.split(' '), { cwd })
    expect(code).not.toBe(0)
    expect(stderr).toMatch(line)
    expect(stderr).not.toMatch(/expiresAt|"from"|adminScopes/)
  })
})
