import type { Secret } from '@latchkey/protocol'
import { refusePlainHttp } from '../configuration/addresses.ts'
import {
  type Configuration,
  type Flags,
  readConfiguration,
} from '../configuration/read-configuration.ts'
import {
  type Environment,
  hubTokenVariable,
  type TakenSecret,
  takeSecret,
} from '../configuration/read-environment.ts'
import { trustCaCert } from '../configuration/trust-ca-cert.ts'
import { type Stop, wrongUsage } from '../output/stop.ts'
import { parseHubToken } from '../reading/hub-token.ts'
import { type Credentials, type DeviceLogin, nobody } from './credentials.ts'
import { credentialsFile, readCredentials } from './credentials-file.ts'

export interface Login {
  readonly url: string
  readonly token: Secret<'hub-token'>
  /** Where the token comes from decides what can be done when the hub does not take it. */
  readonly source: 'typed' | 'stored' | 'environment'
  /** The variable, where it comes from the environment. */
  readonly variable?: string
  readonly allowPlainHttp: boolean
  /** How the hub token is renewed, where a sign-in in a browser gave it. */
  readonly device?: DeviceLogin | undefined
}

/** A token in the environment goes before the stored one, which goes to the hub it is stored for. */
export function findLogin(flags: Flags, environment: Environment): Login {
  const secret = takeSecret(environment, hubTokenVariable)
  const configuration = readConfiguration(flags, environment)
  trustCaCert(configuration)
  return secret === undefined
    ? storedLogin(configuration, environment)
    : givenLogin(configuration, secret)
}

function storedLogin(configuration: Configuration, environment: Environment): Login {
  const credentials = readCredentials(credentialsFile(environment))
  const hub = meantHub(configuration, credentials)
  const token = credentials.tokens.get(hub.url)
  if (token === undefined) throw notLoggedIn(hub.url)
  const device = credentials.devices.get(hub.url)
  return loginAt(hub, configuration, { token, source: 'stored', ...(device && { device }) })
}

/** It must not go to a hub that nobody named beside it. */
function givenLogin(configuration: Configuration, secret: TakenSecret): Login {
  const { value, called: variable } = secret
  if (configuration.values.hub === undefined) {
    throw wrongUsage(
      `${variable} is set without a hub, and the hub of your login is not used with it: pass --hub URL, or set LATCHKEY_HUB`,
    )
  }
  const token = parseHubToken(value)
  if (token === undefined) {
    throw wrongUsage(`${variable} must be a hub token: one word without spaces or line ends`)
  }
  const credential = { token, source: 'environment', variable } as const
  return loginAt(meantHub(configuration, nobody), configuration, credential)
}

function loginAt(
  hub: MeantHub,
  { values: { allowPlainHttp } }: Configuration,
  credential: Pick<Login, 'token' | 'source' | 'variable' | 'device'>,
): Login {
  refusePlainHttp({ ...hub, allowPlainHttp })
  return { url: hub.url, allowPlainHttp, ...credential }
}

function notLoggedIn(url: string): Stop {
  return wrongUsage(
    `you are not logged in to ${url}: run latchkey login --hub ${url}, or set ${hubTokenVariable} or ${hubTokenVariable}_FILE`,
  )
}

interface MeantHub {
  readonly url: string
  /** `--hub`, `LATCHKEY_HUB`, or `hub in client.json`. */
  readonly called: string
  /** Whether somebody named it for this command. */
  readonly isNamed: boolean
}

export function meantHub(
  { values, called }: Configuration,
  { current, tokens }: Credentials,
): MeantHub {
  if (values.hub !== undefined) {
    return { url: values.hub, called: called.get('hub') ?? '--hub', isNamed: true }
  }
  if (current === undefined) throw noHub([...tokens.keys()])
  return { url: current, called: 'the hub logged in to last', isNamed: false }
}

function noHub(others: readonly string[]): Stop {
  return others.length === 0
    ? wrongUsage('no hub is named, and you are not logged in: run latchkey login --hub URL')
    : wrongUsage(
        `no hub is named: pass --hub with one that you are logged in to (${others.join(', ')})`,
      )
}
