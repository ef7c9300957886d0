import { execFileSync } from 'node:child_process'
import { chmodSync, mkdirSync, readdirSync, statSync, writeFileSync } from 'node:fs'
import { homedir } from 'node:os'
import { dirname, join } from 'node:path'
import { Secret } from '@latchkey/protocol'
import { describe, expect, it } from 'vitest'
import type { Flags } from '../src/configuration/read-configuration.ts'
import { logIn, logOut, nobody } from '../src/credentials/credentials.ts'
import {
  credentialsFile,
  readCredentials,
  writeCredentials,
} from '../src/credentials/credentials-file.ts'
import { findLogin } from '../src/credentials/find-login.ts'
import { lineOf } from './line-of.ts'
import { temporaryDirectory } from './run-latchkey.ts'

const token = (letter: string) => `lk_${letter.repeat(49)}`
const secret = (letter: string) => new Secret('hub-token', token(letter))
const [hubA, hubB] = ['https://a.example', 'https://b.example']

/** An environment whose login file knows both hubs, the second one last. */
function loggedIn(): Record<string, string> {
  const environment = { XDG_CONFIG_HOME: temporaryDirectory() }
  const credentials = logIn(logIn(nobody, hubA, { token: secret('a') }), hubB, {
    token: secret('b'),
  })
  writeCredentials(credentialsFile(environment), credentials)
  return environment
}

function found(flags: Flags, environment: Record<string, string>): [string, string, string] {
  const { url, token, source } = findLogin(flags, environment)
  return [url, token.reveal(), source]
}

describe('a hub token that must not go anywhere', () => {
  it('is one in the environment, where only the login file names a hub', () => {
    const file = join(temporaryDirectory(), 'token')
    writeFileSync(file, token('e'))
    const given = { LATCHKEY_HUB_TOKEN: token('e'), LATCHKEY_HUB_TOKEN_FILE: file }
    for (const [name, value] of Object.entries(given)) {
      const environment = { ...loggedIn(), [name]: value }
      expect(lineOf(() => findLogin({}, environment))).toBe(
        `${name} is set without a hub, and the hub of your login is not used with it: pass --hub URL, or set LATCHKEY_HUB`,
      )
      expect(environment).not.toHaveProperty(name)
    }
  })

  // conformance: Attacks / 28. An attacker makes a client send a token to another origin
  it('is the stored one of another hub', () => {
    for (const hub of ['https://c.example', `${hubA}:8443`, `${hubA}/hub`]) {
      expect(lineOf(() => findLogin({ hub }, loggedIn()))).toBe(
        `you are not logged in to ${hub}: run latchkey login --hub ${hub}, or set LATCHKEY_HUB_TOKEN or LATCHKEY_HUB_TOKEN_FILE`,
      )
    }
  })

  it('is any, over plain http to another machine, unless somebody says so', () => {
    const environment = () => ({ LATCHKEY_HUB_TOKEN: token('e') })
    const flags = { hub: 'http://hub.example' }
    expect(lineOf(() => findLogin(flags, environment()))).toContain('is plain http')
    expect(findLogin({ ...flags, allowPlainHttp: true }, environment()).url).toBe(flags.hub)
    expect(findLogin({ hub: 'http://127.0.0.1:8080' }, environment()).allowPlainHttp).toBe(false)
  })

  it.each(['', 'two words', 'line\nend'])('is no hub token: %j, which is not repeated', (text) => {
    const environment = { LATCHKEY_HUB: hubA, LATCHKEY_HUB_TOKEN: text }
    expect(lineOf(() => findLogin({}, environment))).toBe(
      'LATCHKEY_HUB_TOKEN must be a hub token: one word without spaces or line ends',
    )
  })

  it('is none: the line says how to log in', () => {
    const environment = { XDG_CONFIG_HOME: temporaryDirectory() }
    expect(lineOf(() => findLogin({}, environment))).toBe(
      'no hub is named, and you are not logged in: run latchkey login --hub URL',
    )
  })
})

describe('the hub and its token', () => {
  it('are those of the last login where nothing is said', () => {
    expect(found({}, loggedIn())).toEqual([hubB, token('b'), 'stored'])
  })

  it('are named by the configuration file before that, by the variable before it, by the flag before all', () => {
    const config = join(temporaryDirectory(), 'client.json')
    writeFileSync(config, JSON.stringify({ hub: hubA }))
    expect(found({ config }, loggedIn())).toEqual([hubA, token('a'), 'stored'])
    expect(found({ config }, { ...loggedIn(), LATCHKEY_HUB: hubB })[0]).toBe(hubB)
    expect(found({ hub: hubA }, { ...loggedIn(), LATCHKEY_HUB: hubB })[0]).toBe(hubA)
  })

  it('are the one in the environment before the stored one', () => {
    const environment = { ...loggedIn(), LATCHKEY_HUB: hubA, LATCHKEY_HUB_TOKEN: token('e') }
    expect(found({}, environment)).toEqual([hubA, token('e'), 'environment'])
    const file = join(temporaryDirectory(), 'token')
    writeFileSync(file, `${token('f')}\n`)
    const named = { ...loggedIn(), LATCHKEY_HUB_TOKEN_FILE: file }
    expect(found({ hub: hubA }, named)).toEqual([hubA, token('f'), 'environment'])
    expect(named).not.toHaveProperty('LATCHKEY_HUB_TOKEN_FILE')
  })

  it('are no longer the one that was logged out of, and no other takes its place', () => {
    const environment = loggedIn()
    const file = credentialsFile(environment)
    writeCredentials(file, logOut(readCredentials(file), hubB))
    expect(lineOf(() => findLogin({}, environment))).toBe(
      `no hub is named: pass --hub with one that you are logged in to (${hubA})`,
    )
    writeCredentials(file, logOut(readCredentials(file), hubA))
    expect(readdirSync(dirname(file))).toEqual([])
  })
})

describe('the login file', () => {
  // conformance: Client flow / The client stores tokens securely
  it('is for its owner only, and so is its directory', () => {
    const environment = loggedIn()
    const file = credentialsFile(environment)
    expect(file).toBe(join(environment['XDG_CONFIG_HOME'] ?? '', 'latchkey/credentials.json'))
    expect(statSync(file).mode & 0o777).toBe(0o600)
    expect(statSync(dirname(file)).mode & 0o777).toBe(0o700)
    chmodSync(dirname(file), 0o755)
    writeCredentials(file, readCredentials(file))
    expect(statSync(dirname(file)).mode & 0o777).toBe(0o700)
    expect(readdirSync(dirname(file))).toEqual(['credentials.json'])
  })

  it('lies in ~/.config where XDG_CONFIG_HOME is not absolute', () => {
    const standard = join(homedir(), '.config/latchkey/credentials.json')
    expect(credentialsFile({})).toBe(standard)
    expect(credentialsFile({ XDG_CONFIG_HOME: 'config' })).toBe(standard)
  })

  // conformance: Client flow / The client stores tokens securely
  it.each(['640', '604', '620', '602'])('of mode %s is refused', (mode) => {
    const environment = loggedIn()
    chmodSync(credentialsFile(environment), Number.parseInt(mode, 8))
    const line = lineOf(() => findLogin({}, environment))
    expect(line).toContain('can be read or written by others: chmod 600 it')
    expect(line).not.toContain(token('b'))
  })

  const hubs = { [hubA]: { hubToken: token('a') } }
  it.each([
    ['half a file', `{"hubs":{"${hubA}":{"hubToken":"${token('a')}`],
    ['no JSON', token('a')],
    ['no hubs', '{}'],
    ['a current hub without a token', JSON.stringify({ current: hubB, hubs })],
    ['a member of an unknown meaning', JSON.stringify({ hubs, also: 1 })],
    ['a hub that is no URL', JSON.stringify({ hubs: { a: hubs[hubA] } })],
    ['a token that is none', JSON.stringify({ hubs: { [hubA]: { hubToken: 'x\ny' } } })],
    ['one hub twice', `{"hubs":{"${hubA}":{"hubToken":"x"},"${hubA}":{"hubToken":"y"}}}`],
  ])('with %s is refused, and not repeated', (_, text) => {
    const environment = loggedIn()
    writeFileSync(credentialsFile(environment), text)
    const line = lineOf(() => findLogin({}, environment))
    expect(line).toContain('is damaged; remove it, and log in again')
    expect(line).not.toContain(token('a'))
  })

  it('that is a pipe or a directory is refused at once', () => {
    for (const make of [(path: string) => mkdirSync(path), mkfifo]) {
      const environment = { XDG_CONFIG_HOME: temporaryDirectory() }
      const file = credentialsFile(environment)
      mkdirSync(dirname(file))
      make(file)
      expect(lineOf(() => findLogin({}, environment))).toContain('is damaged')
    }
  })

  it('is left alone where both hub and token are named', () => {
    const environment = loggedIn()
    chmodSync(credentialsFile(environment), 0o644)
    const named = { ...environment, LATCHKEY_HUB: hubA, LATCHKEY_HUB_TOKEN: token('e') }
    expect(found({}, named)[0]).toBe(hubA)
  })

  it('stays as it was when it cannot be replaced', () => {
    const environment = { XDG_CONFIG_HOME: temporaryDirectory() }
    const file = credentialsFile(environment)
    mkdirSync(file, { recursive: true })
    expect(
      lineOf(() => writeCredentials(file, logIn(nobody, hubA, { token: secret('a') }))),
    ).toContain('cannot be written')
    expect(statSync(file).isDirectory()).toBe(true)
  })
})

function mkfifo(path: string): void {
  execFileSync('mkfifo', ['-m', '600', path])
}
