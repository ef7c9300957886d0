import { existsSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { Secret } from '@latchkey/protocol'
import { describe, expect, it } from 'vitest'
import { logIn as addLogin, nobody } from '../src/credentials/credentials.ts'
import { writeCredentials } from '../src/credentials/credentials-file.ts'
import { clientWorld } from './client-world.ts'
import { mistakeOf } from './mistake-of.ts'
import { hasTerminal, latchkeyOnTerminal } from './on-terminal.ts'
import { latchkeyHere as latchkey } from './run-here.ts'

const world = clientWorld()
const kept = '.config/latchkey/credentials.json'
const unknown = `lk_${'a'.repeat(49)}`

const run = (cwd: string, ...args: string[]) => latchkey(args, { cwd })

function logIn(cwd: string, input: string, hub = world.hub) {
  return latchkey(['login', '--token', '--hub', hub], { cwd, input })
}

/** As if somebody had logged in, one after the other. */
function loggedIn(...logins: readonly [hub: string, token: string][]): string {
  const cwd = world.home()
  const credentials = logins.reduce(
    (before, [hub, token]) => addLogin(before, hub, { token: new Secret('hub-token', token) }),
    nobody,
  )
  writeCredentials(join(cwd, kept), credentials)
  return cwd
}

describe.concurrent('a login that is refused', () => {
  it('because the hub rejects the token keeps nothing', async () => {
    const cwd = world.home()
    const { code, stdout, stderr } = await logIn(cwd, `${unknown}\n`)
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' })
    expect(stderr).toMatch(
      /^latchkey: http:\S+ rejects this hub token: [^\n]*; nothing is stored\n$/,
    )
    expect(stderr).not.toContain(unknown)
    expect(existsSync(join(cwd, '.config'))).toBe(false)
  })

  it('because the token is none asks nobody', async () => {
    const { code, stderr } = await logIn(world.home(), 'two words\n', 'http://127.0.0.1:1')
    expect({ code, stderr }).toEqual({
      code: 2,
      stderr:
        'latchkey: this is not a hub token: give one word without spaces, as latchkey hub-token create shows it\n',
    })
  })

  it('because nothing is given says so', async () => {
    const { code, stderr } = await logIn(world.home(), '')
    expect({ code, stderr }).toEqual({
      code: 2,
      stderr: 'latchkey: standard input is empty: give the hub token as its first line\n',
    })
  })

  it('because nobody named a hub beside the token in a pipe leaves the last login alone', async () => {
    const cwd = loggedIn([world.hub, world.tokenOf('laptop')])
    const before = readFileSync(join(cwd, kept), 'utf8')
    const { code, stderr } = await latchkey(['login', '--token'], {
      cwd,
      input: `${world.tokenOf('reader')}\n`,
    })
    expect({ code, stderr }).toEqual({
      code: 2,
      stderr: 'latchkey: no hub is named for the hub token: pass --hub URL, or set LATCHKEY_HUB\n',
    })
    expect(readFileSync(join(cwd, kept), 'utf8')).toBe(before)
  })

  // conformance: Attacks / 29. An attacker reads a token in arguments, environments or histories
  it('because the token stands in the arguments, where others see it', async () => {
    const mistake = await mistakeOf('login', unknown, '--hub', 'https://hub.example')
    expect(mistake).toContain('too many arguments')
    expect(await mistakeOf('login', '--token', unknown)).toContain('too many arguments')
  })
})

describe.concurrent('a login', () => {
  it('is kept for its owner, used by the other commands, and forgotten on request', async () => {
    const cwd = world.home()
    const token = world.tokenOf('laptop')
    const login = await logIn(cwd, `${token}\nmore\n`)
    expect(login).toMatchObject({ code: 0, stdout: '' })
    expect(login.stderr).toBe(
      `logged in to ${world.hub} as ada with the hub token laptop (write, …${token.slice(-10, -6)}…, until 2099-01-01T00:00:00Z); saved in ${join(cwd, kept)}\n`,
    )
    expect(statSync(join(cwd, kept)).mode & 0o777).toBe(0o600)
    const who = await run(cwd, 'whoami')
    expect(who).toMatchObject({ code: 0, stderr: '' })
    expect(who.stdout).toMatch(/^ACCOUNT +ada$/m)
    expect(who.stdout).toMatch(/^HUB TOKEN +laptop$/m)
    expect(who.stdout).toMatch(/^SOURCE +latchkey login$/m)
    expect(who.stdout).toMatch(/^HINT +…\w{4}…$/m)
    expect(who.stdout).not.toContain(token)
    const storageToken = await run(cwd, 'token', 'write', 'models/acme/bert')
    expect(storageToken).toMatchObject({ code: 0, stderr: '' })
    const logout = await run(cwd, 'logout')
    expect(logout).toMatchObject({ code: 0, stdout: '' })
    expect(logout.stderr).toContain(`logged out of ${world.hub}`)
    expect(existsSync(join(cwd, kept))).toBe(false)
    expect(await run(cwd, 'logout')).toEqual({
      code: 0,
      stdout: '',
      stderr: 'you are not logged in\n',
    })
    expect(await run(cwd, 'whoami')).toMatchObject({
      code: 2,
      stderr:
        'latchkey: no hub is named, and you are not logged in: run latchkey login --hub URL\n',
    })
  })

  it('stands beside others, and the last one is meant', async () => {
    const sameHub = world.hub.replace('127.0.0.1', 'localhost')
    const cwd = loggedIn([world.hub, world.tokenOf('laptop')])
    await logIn(cwd, world.tokenOf('reader'), sameHub)
    const who = async (...args: string[]) =>
      JSON.parse((await run(cwd, 'whoami', '--json', ...args)).stdout)
    expect(await who()).toMatchObject({
      hub: sameHub,
      source: 'stored',
      account: { name: 'ada', kind: 'user', administrator: true },
      hubToken: { name: 'reader', kind: 'read' },
    })
    expect(await who('--hub', world.hub)).toMatchObject({ hubToken: { name: 'laptop' } })
    const { stderr } = await run(cwd, 'logout')
    expect(stderr).toContain(`still logged in to ${world.hub}: pass one with --hub`)
  })

  it('whose token counts no more says how to log in again', async () => {
    const cwd = loggedIn([world.hub, unknown])
    const { code, stderr } = await run(cwd, 'whoami')
    expect(code).toBe(1)
    expect(stderr).toMatch(
      /rejects the stored hub token: .*; latchkey login --hub http\S+ stores another\n$/,
    )
  })
})

describe.skipIf(!hasTerminal)('on a terminal', () => {
  // conformance: Attacks / 29. An attacker reads a token in arguments, environments or histories
  it('the hub token is asked for by the name of the hub, and never shown', async () => {
    const cwd = world.home()
    const token = world.tokenOf('laptop')
    const login = ['login', '--token', '--hub', world.hub]
    const { code, screen } = await latchkeyOnTerminal(login, [['Hub token', `${token}\r`]], { cwd })
    expect(screen).toContain(`Hub token for ${world.hub}`)
    expect(screen).toContain('logged in to')
    expect(code).toBe(0)
    for (let start = 0; start + 6 <= token.length - 10; start += 1) {
      expect(screen).not.toContain(token.slice(start, start + 6))
    }
    expect(readFileSync(join(cwd, kept), 'utf8')).toContain(token)
  })

  it.each([
    ['Ctrl+C', '\u0003'],
    ['Ctrl+D', '\u0004'],
  ])('%s keeps nothing', async (_, key) => {
    const cwd = world.home()
    const login = ['login', '--token', '--hub', world.hub]
    const { code, screen } = await latchkeyOnTerminal(login, [['Hub token', `abc${key}`]], { cwd })
    expect(screen).toContain('latchkey: cancelled; nothing has changed')
    expect(code).toBe(1)
    expect(existsSync(join(cwd, '.config'))).toBe(false)
  })
})
