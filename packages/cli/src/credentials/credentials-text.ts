/** Logins as the text of their file, and back. */

import { isDeepStrictEqual } from 'node:util'
import { readJson } from '@latchkey/admin-api/read-json'
import { isRefusal, isServiceUrl, type Secret } from '@latchkey/protocol'
import { parseHubToken } from '../reading/hub-token.ts'
import { membersOf, textOf } from '../reading/members-of.ts'
import type { Credentials } from './credentials.ts'

/** Undefined for anything that we would not have written. */
export function parseCredentials(text: string): Credentials | undefined {
  const read = readJson(text)
  if (isRefusal(read)) return undefined
  const { current, hubs } = membersOf(read)
  const tokens = new Map(Object.entries(membersOf(hubs)).flatMap(loginOf))
  const credentials = { current: textOf(current), tokens }
  const isKnown = credentials.current === undefined || tokens.has(credentials.current)
  const written: unknown = JSON.parse(formatCredentials(credentials))
  return isKnown && isDeepStrictEqual(written, read) ? credentials : undefined
}

function loginOf([url, hub]: [string, unknown]): [string, Secret<'hub-token'>][] {
  const token = parseHubToken(textOf(membersOf(hub)['hubToken']) ?? '')
  return token !== undefined && isServiceUrl(url) ? [[url, token]] : []
}

export function formatCredentials({ current, tokens }: Credentials): string {
  const hubs = Array.from(tokens, ([url, token]) => [url, { hubToken: token.reveal() }])
  return `${JSON.stringify({ current, hubs: Object.fromEntries(hubs) }, undefined, 2)}\n`
}
