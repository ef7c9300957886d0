/** `latchkey login`: keeps a hub token for this person, once the hub has said whose it is. */

import type { Secret } from '@latchkey/protocol'
import { Command } from 'commander'
import { askWho, hintOf, type Who } from '../client/ask-who.ts'
import { refusePlainHttp } from '../configuration/addresses.ts'
import { addConfigurationFlags } from '../configuration/flags.ts'
import {
  type Configuration,
  type Flags,
  readConfiguration,
} from '../configuration/read-configuration.ts'
import { hubTokenVariable, takeSecret } from '../configuration/read-environment.ts'
import { trustCaCert } from '../configuration/trust-ca-cert.ts'
import { type Credentials, logIn } from '../credentials/credentials.ts'
import {
  credentialsFile,
  readCredentials,
  writeCredentials,
} from '../credentials/credentials-file.ts'
import { meantHub } from '../credentials/find-login.ts'
import { refused, type Stop, wrongUsage } from '../output/stop.ts'
import { tell } from '../output/tell.ts'
import { parseHubToken } from '../reading/hub-token.ts'

/** Asks for a hub token: hidden on a terminal, otherwise the first line of standard input. */
async function askHubToken(url: string): Promise<Secret<'hub-token'>> {
  const text = process.stdin.isTTY ? await askOnTerminal(url) : await readLine()
  const token = parseHubToken(text.trim())
  if (token === undefined) throw noToken()
  return token
}

/** The question goes to standard error; where that is no terminal, nobody could see it. */
async function askOnTerminal(url: string): Promise<string> {
  const { stdin: input, stderr: output } = process
  if (!output.isTTY)
    throw wrongUsage(
      'the prompt for the hub token needs a terminal: do not redirect standard error',
    )
  // Only a person at a terminal waits for it to load.
  const { isCancel, password } = await import('@clack/prompts')
  const end = new AbortController()
  const onKey = (_: unknown, { ctrl, name }: { ctrl: boolean; name: string }) => {
    if (ctrl && name === 'd') end.abort()
  }
  input.on('keypress', onKey)
  const answer = await password({
    message: `Hub token for ${url}`,
    input,
    output,
    signal: end.signal,
  })
  input.off('keypress', onKey)
  if (isCancel(answer)) throw refused('cancelled; nothing has changed')
  return answer
}

const maxLineLength = 4096

async function readLine(): Promise<string> {
  let text = ''
  for await (const part of process.stdin.setEncoding('utf8')) {
    text += part
    if (text.includes('\n') || text.length > maxLineLength) break
  }
  if (text === '') throw wrongUsage('standard input is empty: give the hub token as its first line')
  return text.split('\n')[0] ?? ''
}

function noToken(): Stop {
  return wrongUsage(
    'this is not a hub token: give one word without spaces, as latchkey hub-token create shows it',
  )
}

export function loginCommand(): Command {
  const command = new Command('login')
    .description(
      'Prompts for a hub token, checks it at the hub, and saves it for latchkey token, fetch, upload, download and whoami. The prompt does not show your input. The command also reads the hub token from the first line of standard input, but never from arguments. The other commands use the hub of your last login, unless you name another.',
    )
    .addHelpText('after', teaching)
    .action(login)
  return addConfigurationFlags(command, 'client')
}

const teaching = `
Examples:
  latchkey login --hub https://hub.example
  pass show latchkey | latchkey login --hub https://hub.example

The hub token is saved in credentials.json in $XDG_CONFIG_HOME/latchkey (~/.config/latchkey),
readable by its owner only, and is sent only to its hub. latchkey hub-token create creates one.`

async function login(flags: Flags): Promise<void> {
  const { env } = process
  const overruling = takeSecret(env, hubTokenVariable)?.called
  const file = credentialsFile(env)
  const configuration = readConfiguration(flags, env)
  const hub = chooseHub(configuration, readCredentials(file))
  trustCaCert(configuration)
  const token = await askHubToken(hub.url)
  const who = await askWho({ ...hub, token, source: 'typed' })
  // Read once more: another login may have come while this one was typed.
  writeCredentials(file, logIn(readCredentials(file), hub.url, token))
  tell(`logged in to ${hub.url} as ${describe(who)}; saved in ${file}`)
  if (overruling !== undefined)
    tell(`note: ${overruling} is set, and takes precedence over the saved hub token`)
}

/** On a terminal the question names the hub; in a pipe nobody would have. */
function chooseHub(
  configuration: Configuration,
  credentials: Credentials,
): { url: string; allowPlainHttp: boolean } {
  const { allowPlainHttp } = configuration.values
  const { url, called, isNamed } = meantHub(configuration, credentials)
  refusePlainHttp({ url, called, allowPlainHttp })
  if (!isNamed && !process.stdin.isTTY) {
    throw wrongUsage('no hub is named for the hub token: pass --hub URL, or set LATCHKEY_HUB')
  }
  return { url, allowPlainHttp }
}

function describe({ account, hubToken }: Who): string {
  const { name, kind, expiresAt } = hubToken
  const until = expiresAt === undefined ? '' : `, until ${expiresAt}`
  return `${account.name} with the hub token ${name} (${kind}, ${hintOf(hubToken)}${until})`
}
