/** `--hub`: checks the token requests and the documents of a hub. */

import { hubChecks } from '../hub/hub-checks.ts'
import { type HubTarget, membersOf, type WorldTokens } from '../hub/hub-target.ts'
import { messageOf } from '../run-checks.ts'
import { unavailable, wrongUsage } from './conform-stop.ts'
import type { ConformFlags } from './options.ts'
import { readText, textOf } from './read-flags.ts'
import type { OpenSide, Side } from './side.ts'

export const hubSide: Side<HubTarget> = {
  checks: hubChecks,
  usualProfiles: ['token-api', 'verifier'],
  open: openHub,
}

async function openHub(flags: ConformFlags): Promise<OpenSide<HubTarget>> {
  const url = hubUrl(textOf(flags, 'hub') ?? '')
  const tokens = await readTokens(textOf(flags, 'tokens'))
  const seenTokens = new Set<string>()
  const target = { url, fetch, tokens, seenTokens }
  await refuseUnreachable(target)
  return { target, secrets: () => [...tokens.values(), ...seenTokens] }
}

function hubUrl(text: string): string {
  const url = URL.parse(text)
  if (url === null || !/^https?:$/.test(url.protocol)) {
    throw wrongUsage('--hub must be a URL, for example https://hub.example')
  }
  return `${url.origin}${url.pathname.replace(/\/+$/, '')}`
}

/** The output of `latchkey apply --json`. */
async function readTokens(file: string | undefined): Promise<WorldTokens> {
  if (file === undefined) {
    throw wrongUsage('--hub needs --tokens: the hub tokens of the world; --print-setup shows how')
  }
  const rows = membersOf(parsed(await readText(file), file))['hubTokens']
  if (!Array.isArray(rows)) throw wrongUsage(`${file} has no list "hubTokens"`)
  return new Map(rows.map((row) => namedToken(membersOf(row), file)))
}

function parsed(text: string, file: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    // The message of the parser may show a token.
    throw wrongUsage(`${file} is no JSON`)
  }
}

function namedToken(row: Readonly<Record<string, unknown>>, file: string): [string, string] {
  const { account, name, token } = row
  if (typeof account === 'string' && typeof name === 'string' && typeof token === 'string') {
    return [`${account}/${name}`, token]
  }
  throw wrongUsage(`${file}: an entry of "hubTokens" needs "account", "name" and "token"`)
}

async function refuseUnreachable({ url, fetch }: HubTarget): Promise<void> {
  try {
    const response = await fetch(`${url}/`, { redirect: 'manual' })
    await response.body?.cancel()
  } catch (error) {
    throw unavailable(`${url} cannot be reached: ${messageOf(error)}`)
  }
}
