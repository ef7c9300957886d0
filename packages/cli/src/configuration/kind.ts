/** The kinds of value an option can have: how text becomes one, and what is allowed. */

import {
  defaultStorage,
  isCasUrl,
  isPrefix,
  isServiceUrl,
  maxConfigurableCasUrlLength,
  type NamedStorage,
  parseSecretKey,
  parseStorageName,
  parseWriteRule,
  type Secret,
  type SecretKind,
  type SlashForm,
  slashForms,
  type WriteRule,
} from '@latchkey/protocol'
import { anyHost, isAddressRange } from '@latchkey/service/http/addresses'
import { parseHubToken } from '../reading/hub-token.ts'
import { membersOf, textOf, textsOf } from '../reading/members-of.ts'
import { isHost, isOrigin } from './addresses.ts'

export interface Kind<Value> {
  /** The placeholder of the value in `--help`; a switch has none. */
  readonly placeholder?: string
  /** Ends the sentence "… is not allowed; give …". */
  readonly allowed: string
  /** A flag's or variable's text as a configuration file holds it; text that makes no sense is passed on. */
  fromText(text: string): unknown
  /** The value from what a configuration file holds; undefined for what is not allowed. */
  read(value: unknown): Value | undefined
  /** Some values of this kind are secrets; this is how to give one in another way than as a flag. */
  readonly secretWays?: string
  /** Whether this value must not be shown to others: not in arguments, not in a file that they can read. */
  holdsSecret?(value: unknown): boolean
}

export function wholeNumber(least: number, most: number): Kind<number> {
  return {
    placeholder: 'number',
    allowed: `a whole number from ${least} to ${most}`,
    fromText: (text) => (/^\d{1,16}$/.test(text) ? Number(text) : text),
    read: (value) => (isWholeNumber(value) && value >= least && value <= most ? value : undefined),
  }
}

function isWholeNumber(value: unknown): value is number {
  return Number.isSafeInteger(value)
}

export function choice<const Words extends readonly [string, ...string[]]>(
  words: Words,
): Kind<Words[number]> {
  return {
    placeholder: words.join('|'),
    allowed: `one of ${words.join(', ')}`,
    fromText: (text) => text,
    read: (value) => words.find((word) => word === value),
  }
}

export const onOff: Kind<boolean> = {
  allowed: 'true or false',
  fromText: (text) => switchWords.get(text.toLowerCase()) ?? text,
  read: (value) => (typeof value === 'boolean' ? value : undefined),
}

const switchWords = new Map([
  ['true', true],
  ['1', true],
  ['false', false],
  ['0', false],
])

export const host = text('address', 'an IP address or a host name', isHost)

export const directory = text('directory', 'a path', (path) => path !== '' && !path.includes('\0'))

export const file = text('file', 'a path', (path) => path !== '' && !path.includes('\0'))

export const serviceUrl = text(
  'URL',
  'an http or https URL in its normal form, without trailing slash, query, fragment or credentials',
  isServiceUrl,
)

export const upstream = text(
  'URL',
  'an http or https URL in its normal form, without trailing slash, query, fragment or credentials, whose path may hold {repo} and {ref}, each once; or unix:SOCKET, or unix:SOCKET:/path',
  (url) => isCasUrl(url) || /^unix:\/[^\0:]+(?::\/.*)?$/.test(url),
)

const allowedCasUrl = `an http or https URL in its normal form, without trailing slash, query, fragment or credentials, at most ${maxConfigurableCasUrlLength} characters; its path may hold {repo} and {ref}, each once`

export const casUrl = text('URL', allowedCasUrl, isCasUrl)

/** `eu=https://cas.eu.example/r/{repo}/{ref}`; a file has objects of name and casUrl. */
export const storages: Kind<readonly NamedStorage[]> = {
  placeholder: 'storages',
  allowed: `NAME=casUrl, separated by commas; in the file {"name": NAME, "casUrl": casUrl}. A name is 1 to 32 lower-case letters, digits or "-", and not "${defaultStorage}"; a casUrl is ${allowedCasUrl}`,
  // A comma within a casUrl is not followed by a name and an equals sign.
  fromText: (text) =>
    text
      .split(/,(?=\s*[^,/{]*=)/)
      .map((item) => /^\s*([^=]*)=(.*?)\s*$/s.exec(item) ?? [])
      .map(([, name, casUrl]) => ({ name, casUrl })),
  read(value) {
    if (!Array.isArray(value)) return undefined
    const storages = value.map(namedStorage)
    return storages.every((storage) => storage !== undefined) ? storages : undefined
  },
}

function namedStorage(value: unknown): NamedStorage | undefined {
  const { name: nameText, casUrl: url, ...more } = membersOf(value)
  const name = parseStorageName(textOf(nameText) ?? '')
  const casUrl = textOf(url)
  const isFine = name !== undefined && casUrl !== undefined && Object.keys(more).length === 0
  return isFine && name !== defaultStorage && isCasUrl(casUrl) ? { name, casUrl } : undefined
}

/** `my-tool=My tool`; a file has an object. */
export const deviceClients: Kind<Readonly<Record<string, string>>> = {
  placeholder: 'clients',
  allowed:
    'client_id=NAME, separated by commas; in the file {"client_id": NAME}. A client_id is 1 to 64 letters, digits or "-", "." and "_"; a NAME is 1 to 64 characters',
  fromText: (text) =>
    Object.fromEntries(
      text.split(',').map((item) => {
        const [id = '', ...name] = item.split('=')
        return [id.trim(), name.join('=').trim()]
      }),
    ),
  read(value) {
    const isObject = typeof value === 'object' && value !== null && !Array.isArray(value)
    if (!isObject) return undefined
    const clients = Object.entries(value)
    return clients.every(isDeviceClient) ? Object.fromEntries(clients) : undefined
  },
}

function isDeviceClient(pair: [string, unknown]): pair is [string, string] {
  const [id, name] = pair
  return /^[\w.-]{1,64}$/.test(id) && typeof name === 'string' && /^[^\p{Cc}]{1,64}$/u.test(name)
}

export const prefix = text(
  'prefix',
  'a lower-case letter, then at most 15 lower-case letters or digits, then _; not lks_, lkd_ or lkr_, which are of sessions and devices',
  (text) => isPrefix(text) && !['lks_', 'lkd_', 'lkr_'].includes(text),
)

export const origins = list(
  'origins',
  '* or origins such as https://app.example, separated by commas',
  isOrigin,
)

export const hostNames = list(
  'names',
  '* or host names such as hub.internal, without scheme and port, separated by commas',
  (name) => name === anyHost || isHost(name),
)

export const addressRanges = list(
  'addresses',
  'IP addresses or ranges such as 10.0.0.0/8, separated by commas',
  isAddressRange,
)

export const slashFormList: Kind<readonly SlashForm[]> = {
  placeholder: 'forms',
  allowed: `${slashForms.join(' or ')}, or both, separated by commas`,
  fromText: splitAtCommas,
  read(value) {
    const forms = textsOf(value)?.map((text) => slashForms.find((form) => form === text))
    return forms?.every((form) => form !== undefined) ? forms : undefined
  },
}

export const writeRules: Kind<readonly WriteRule[]> = {
  placeholder: 'routes',
  allowed:
    'a method (or "unsafe" for every method but GET, HEAD and OPTIONS) and a path, such as "POST /v1/locks/*", separated by commas',
  fromText: splitAtCommas,
  read(value) {
    const rules = textsOf(value)?.map(parseWriteRule)
    return rules?.every((rule) => rule !== undefined) ? rules : undefined
  },
}

export const masterKey = secretKey('master-key')

export const assertionKey = secretKey('assertion-key')

export const storageMasterKey = secretKey('storage-master-key')

export const hubToken: Kind<Secret<'hub-token'>> = {
  placeholder: 'token',
  allowed: 'a hub token, as "latchkey hub-token create" shows it once',
  fromText: (text) => text,
  read: (value) => parseHubToken(textOf(value)?.trim() ?? ''),
}

function secretKey<Name extends SecretKind>(kind: Name): Kind<Secret<Name>> {
  return {
    placeholder: 'key',
    allowed: '32 bytes in base64 (openssl rand -base64 32)',
    fromText: (text) => text,
    read: (value) => parseSecretKey(kind, textOf(value) ?? ''),
  }
}

function text(
  placeholder: string,
  allowed: string,
  isAllowed: (text: string) => boolean,
): Kind<string> {
  return {
    placeholder,
    allowed,
    fromText: (value) => value,
    read: (value) => (typeof value === 'string' && isAllowed(value) ? value : undefined),
  }
}

function list(
  placeholder: string,
  allowed: string,
  isAllowed: (item: string) => boolean,
): Kind<readonly string[]> {
  return {
    placeholder,
    allowed,
    fromText: splitAtCommas,
    read(value) {
      const items = textsOf(value)
      return items?.every(isAllowed) ? items : undefined
    },
  }
}

function splitAtCommas(list: string): readonly string[] {
  return list.split(',').map((item) => item.trim())
}
