/** The parts of a `postgres://` address, as libpq reads them. */

import { CannotStart } from '../machine/errors.ts'

const shape = /^postgres(?:ql)?:\/\/(?:([^@/?]*)@)?([^/?]*)(?:\/([^?]*))?(?:\?(.*))?$/

/** Parameters that have a meaning here; any other is refused, because ignoring it could be unsafe. */
export const urlParameters = [
  'host',
  'port',
  'user',
  'password',
  'dbname',
  'sslmode',
  'sslrootcert',
  'sslcert',
  'sslkey',
  'application_name',
  'connect_timeout',
] as const

export type UrlParameter = (typeof urlParameters)[number]

type UrlParts = Partial<Record<UrlParameter, string>>

export function isPostgresUrl(text: string): boolean {
  return /^postgres(?:ql)?:\/\//.test(text)
}

/** Whether the address holds a password, so that it must not be in the arguments of a process. */
export function carriesPassword(url: string): boolean {
  return withoutPassword(url) !== url
}

/** The address for people to read. A password that was not encoded ends at the last @, so too much may be left out. */
export function withoutPassword(url: string): string {
  return url
    .replace(/^(postgres(?:ql)?:\/\/[^:@/?]*):.*@/s, '$1@')
    .replace(/([?&])password=[^&]*/g, '$1password=[hidden]')
}

/** A parameter after the question mark has precedence over the same part before it. */
export function splitUrl(url: string): UrlParts {
  const match = shape.exec(url)
  if (match === null) {
    throw new CannotStart(
      'the address of the database is not of the form postgres://USER@HOST:PORT/DATABASE. Write the characters @ / ? : of a password as %40 %2F %3F %3A.',
    )
  }
  const [, login = '', address = '', dbname = '', query = ''] = match
  const [user = '', ...password] = login.split(':')
  return {
    ...partOf('user', user),
    ...partOf('password', password.join(':')),
    ...addressParts(address),
    ...partOf('dbname', dbname),
    ...queryParts(query),
  }
}

function addressParts(address: string): UrlParts {
  if (address.includes(',')) {
    throw new CannotStart(
      'the address of the database names several hosts. Name one, or the address of a proxy that finds the primary.',
    )
  }
  const [, host = '', port = ''] = /^(\[[^\]]*\]|[^:]*)(?::(.*))?$/.exec(address) ?? []
  return { ...partOf('host', host.replace(/^\[(.*)\]$/, '$1')), ...partOf('port', port) }
}

function queryParts(query: string): UrlParts {
  const pairs = query.split('&').filter((pair) => pair !== '')
  return Object.assign({}, ...pairs.map(queryPart))
}

function queryPart(pair: string): UrlParts {
  const [name = '', ...value] = pair.split('=')
  const parameterName = urlParameters.find((parameter) => parameter === name)
  if (parameterName === undefined) {
    throw new CannotStart(
      `the address of the database has a parameter that is not known: ${name}. Known are ${urlParameters.join(', ')}.`,
    )
  }
  return partOf(parameterName, value.join('='))
}

function partOf(name: UrlParameter, text: string): UrlParts {
  return text === '' ? {} : { [name]: decoded(text) }
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    throw new CannotStart(
      'the address of the database has a % that does not begin a character like %20. Write the character % as %25.',
    )
  }
}
