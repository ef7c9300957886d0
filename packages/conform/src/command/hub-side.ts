/** `--hub`: checks the token requests and the documents of a hub. */

import { hubChecks } from '../hub/hub-checks.ts'
import type { HubTarget, WorldTokens } from '../hub/hub-target.ts'
import { runCommand } from '../hub/run-command.ts'
import { hubTokenNames } from '../hub/world.ts'
import { messageOf } from '../run-checks.ts'
import { membersOf } from '../wire/outcome.ts'
import { type RawClient, rawClient } from '../wire/raw-request.ts'
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
  const [rotation, revocation] = [textOf(flags, 'rotateCommand'), textOf(flags, 'revokeCommand')]
  const seenTokens = new Set<string>()
  const client = rawClient(url.origin)
  const target: HubTarget = {
    ...{ client, tokens, seenTokens, basePath: url.pathname.replace(/\/+$/, '') },
    rotate: rotation === undefined ? undefined : () => runCommand(rotation),
    revoke: revocation === undefined ? undefined : (token) => runCommand(revocation, `${token}\n`),
  }
  await refuseUnreachable(url, client)
  return {
    target,
    secrets: () => [...tokens.values(), ...seenTokens],
    close: async () => client.close(),
  }
}

function hubUrl(text: string): URL {
  const url = URL.parse(text)
  if (url === null || !/^https?:$/.test(url.protocol)) {
    throw wrongUsage('--hub must be a URL, for example https://hub.example')
  }
  return url
}

/** The output of `latchkey apply --json`. */
async function readTokens(file: string | undefined): Promise<WorldTokens> {
  if (file === undefined) {
    throw wrongUsage('--hub needs --tokens: the hub tokens of the world; --print-setup shows how')
  }
  const rows = membersOf(parsed(await readText(file), file))['hubTokens']
  if (!Array.isArray(rows)) throw wrongUsage(`${file} has no list "hubTokens"`)
  const tokens = new Map(rows.map((row) => namedToken(membersOf(row), file)))
  const missing = hubTokenNames.filter((name) => !tokens.has(name))
  if (missing.length === 0) return tokens
  throw wrongUsage(
    `${file} lacks the hub tokens ${missing.join(', ')}; --print-setup shows what it needs`,
  )
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

async function refuseUnreachable(url: URL, client: RawClient): Promise<void> {
  try {
    await client.send({ method: 'GET', target: '/', headers: [] })
  } catch (error) {
    client.close()
    throw unavailable(`${url.origin} cannot be reached: ${messageOf(error)}`)
  }
}
