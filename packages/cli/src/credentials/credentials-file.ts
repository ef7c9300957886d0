/** The file in which logins are kept: for its owner only, and replaced as a whole. */

import {
  chmodSync,
  closeSync,
  constants,
  fstatSync,
  mkdirSync,
  openSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { homedir } from 'node:os'
import { dirname, isAbsolute, join } from 'node:path'
import { isDeepStrictEqual } from 'node:util'
import { readJson } from '@latchkey/admin-api/read-json'
import { isRefusal, isServiceUrl, type Secret, unixSeconds } from '@latchkey/protocol'
import type { Environment } from '../configuration/read-environment.ts'
import { cannotWrite, createDraft } from '../output/new-file.ts'
import { type Stop, unavailable } from '../output/stop.ts'
import { parseHubToken, parseRefreshToken } from '../reading/hub-token.ts'
import { membersOf, textOf } from '../reading/members-of.ts'
import { type Credentials, type DeviceLogin, nobody } from './credentials.ts'

/** The directories of the XDG specification are absolute, or do not count. */
export function credentialsFile({ XDG_CONFIG_HOME: configHome = '' }: Environment): string {
  const home = isAbsolute(configHome) ? configHome : join(homedir(), '.config')
  return join(home, 'latchkey', 'credentials.json')
}

export function readCredentials(file: string): Credentials {
  const text = readOwnFile(file)
  if (text === undefined) return nobody
  const credentials = parseCredentials(text)
  if (credentials === undefined) {
    throw refusedFile(file, 'is damaged; remove it, and log in again with latchkey login')
  }
  return credentials
}

/** Removes the file once it has no login. */
export function writeCredentials(file: string, credentials: Credentials): void {
  try {
    if (credentials.tokens.size === 0) rmSync(file, { force: true })
    else replaceFile(file, formatCredentials(credentials))
  } catch (error) {
    throw cannotWrite(file, error)
  }
}

function replaceFile(file: string, text: string): void {
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 })
  chmodSync(dirname(file), 0o700)
  const draft = createDraft(file, 0o600)
  writeFileSync(draft.descriptor, text)
  draft.keep()
}

/** Undefined when there is none. A pipe in its place is not waited for. */
function readOwnFile(file: string): string | undefined {
  let descriptor: number
  try {
    descriptor = openSync(file, constants.O_RDONLY | constants.O_NONBLOCK)
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? error.code : 'unreadable'
    if (code === 'ENOENT') return undefined
    throw refusedFile(file, `cannot be read (${code})`)
  }
  try {
    refuseOthers(descriptor, file)
    return readFileSync(descriptor, 'utf8')
  } finally {
    closeSync(descriptor)
  }
}

const maxFileBytes = 1024 * 1024

function refuseOthers(descriptor: number, file: string): void {
  const status = fstatSync(descriptor)
  if (!status.isFile() || status.size > maxFileBytes) {
    throw refusedFile(file, 'is damaged; remove it, and log in again with latchkey login')
  }
  if ((status.mode & 0o077) !== 0) {
    throw refusedFile(
      file,
      'can be read or written by others: chmod 600 it, and revoke its hub tokens if others may have read them',
    )
  }
}

function refusedFile(file: string, why: string): Stop {
  return unavailable(`the login file ${file} ${why}`)
}

/** Undefined for anything that we would not have written. */
function parseCredentials(text: string): Credentials | undefined {
  const read = readJson(text)
  if (isRefusal(read)) return undefined
  const { current, hubs } = membersOf(read)
  const entries = Object.entries(membersOf(hubs))
  const tokens = new Map(entries.flatMap(loginOf))
  const devices = new Map(entries.flatMap(deviceOf))
  const credentials = { current: textOf(current), tokens, devices }
  const isKnown = credentials.current === undefined || tokens.has(credentials.current)
  const written: unknown = JSON.parse(formatCredentials(credentials))
  return isKnown && isDeepStrictEqual(written, read) ? credentials : undefined
}

function loginOf([url, hub]: [string, unknown]): [string, Secret<'hub-token'>][] {
  const token = parseHubToken(textOf(membersOf(hub)['hubToken']) ?? '')
  return token !== undefined && isServiceUrl(url) ? [[url, token]] : []
}

function deviceOf([url, hub]: [string, unknown]): [string, DeviceLogin][] {
  const { refreshToken: text, expiresAt } = membersOf(hub)
  const refreshToken = parseRefreshToken(textOf(text) ?? '')
  const isWhole = typeof expiresAt === 'number' && Number.isSafeInteger(expiresAt)
  if (refreshToken === undefined || !isWhole) return []
  return [[url, { refreshToken, expiresAt: unixSeconds(expiresAt) }]]
}

function formatCredentials({ current, tokens, devices }: Credentials): string {
  const hubs = Array.from(tokens, ([url, token]) => {
    const device = devices.get(url)
    const renewal = device && {
      refreshToken: device.refreshToken.reveal(),
      expiresAt: device.expiresAt,
    }
    return [url, { hubToken: token.reveal(), ...renewal }]
  })
  return `${JSON.stringify({ current, hubs: Object.fromEntries(hubs) }, undefined, 2)}\n`
}
