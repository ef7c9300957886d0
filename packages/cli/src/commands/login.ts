/** `latchkey login`: keeps a hub token for this person, from a browser or typed, once the hub has said whose it is. */

import { formatRepoRef, parseRepoRef, type Secret } from '@latchkey/protocol'
import { Command } from 'commander'
import { askWho, hintOf, type Who } from '../client/ask-who.ts'
import { signInDevice } from '../client/device-login.ts'
import { signInJob } from '../client/job-login.ts'
import { refusePlainHttp } from '../configuration/addresses.ts'
import { addConfigurationFlags } from '../configuration/flags.ts'
import {
  type Configuration,
  type Flags,
  readConfiguration,
} from '../configuration/read-configuration.ts'
import { hubTokenVariable, takeSecret } from '../configuration/read-environment.ts'
import { trustCaCert } from '../configuration/trust-ca-cert.ts'
import { type Credentials, logIn, type NewLogin } from '../credentials/credentials.ts'
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
      'Signs this machine in: prints an address, waits until you approve in a browser, and saves the hub token for latchkey token, fetch, upload, download and whoami. The commands renew it, for 60 days. With --token, saves a hub token that you have: from a prompt that does not show your input, or from the first line of standard input, but never from arguments. The other commands use the hub of your last login, unless you name another.',
    )
    .option('--token', 'Save a hub token that you have, without a browser.')
    .option(
      '--ci <repository>',
      'In a CI job: exchange its id token for a short hub token of this repository, such as models/acme/bert.',
    )
    .addHelpText('after', teaching)
    .action(login)
  return addConfigurationFlags(command, 'client')
}

const teaching = `
Examples:
  latchkey login --hub https://hub.example
  pass show latchkey | latchkey login --hub https://hub.example --token
  latchkey login --hub https://hub.example --ci models/acme/bert

The hub token is saved in credentials.json in $XDG_CONFIG_HOME/latchkey (~/.config/latchkey),
readable by its owner only, and is sent only to its hub. latchkey hub-token create creates one.`

async function login(flags: Flags): Promise<void> {
  const { env } = process
  const overruling = takeSecret(env, hubTokenVariable)?.called
  const file = credentialsFile(env)
  const configuration = readConfiguration(flags, env)
  const isToken = flags['token'] === true
  const repository = repositoryOf(flags)
  const hub = chooseHub(configuration, readCredentials(file), isToken)
  trustCaCert(configuration)
  const made = await makeLogin(hub.url, { isToken, repository })
  const who = await askWho({ ...hub, token: made.token, source: 'typed' })
  // Read once more: another login may have come while this one was typed.
  writeCredentials(file, logIn(readCredentials(file), hub.url, made))
  tell(`logged in to ${hub.url} as ${describe(who)}; saved in ${file}`)
  if (overruling !== undefined)
    tell(`note: ${overruling} is set, and takes precedence over the saved hub token`)
}

/** The three ways to a hub token: from a CI job, typed, or from a browser. */
async function makeLogin(
  url: string,
  { isToken, repository }: { readonly isToken: boolean; readonly repository: string | undefined },
): Promise<NewLogin> {
  if (repository !== undefined) return { token: await signInJob(url, repository, process.env) }
  return isToken ? { token: await askHubToken(url) } : signIn(url)
}

function repositoryOf({ ci, token }: Flags): string | undefined {
  if (ci === undefined) return undefined
  if (token === true) throw wrongUsage('--ci and --token are two ways to log in: give one of them')
  const repository = parseRepoRef(String(ci))
  if (repository === undefined) {
    throw wrongUsage('--ci: give the repository in full, such as models/acme/bert')
  }
  return formatRepoRef(repository)
}

async function signIn(url: string): Promise<NewLogin> {
  const { token, ...device } = await signInDevice(url)
  return { token, device }
}

/** On a terminal the question names the hub; in a pipe nobody would have. */
function chooseHub(
  configuration: Configuration,
  credentials: Credentials,
  isToken: boolean,
): { url: string; allowPlainHttp: boolean } {
  const { allowPlainHttp } = configuration.values
  const { url, called, isNamed } = meantHub(configuration, credentials)
  refusePlainHttp({ url, called, allowPlainHttp })
  if (isToken && !isNamed && !process.stdin.isTTY) {
    throw wrongUsage('no hub is named for the hub token: pass --hub URL, or set LATCHKEY_HUB')
  }
  return { url, allowPlainHttp }
}

function describe({ account, hubToken }: Who): string {
  const { name, kind, expiresAt } = hubToken
  const until = expiresAt === undefined ? '' : `, until ${expiresAt}`
  return `${account.name} with the hub token ${name} (${kind}, ${hintOf(hubToken)}${until})`
}
