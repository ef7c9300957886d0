/** Parses the arguments of `fetch` into a request to the storage. */

import type { StorageRequestInit } from '@latchkey/client'
import { scopes } from '@latchkey/protocol'
import { escapeText, quoteGiven } from '@latchkey/service/text'
import type { Flags } from '../configuration/read-configuration.ts'
import { type Stop, wrongUsage } from '../output/stop.ts'
import { textOf, textsOf } from '../reading/members-of.ts'
import { readData } from './request-data.ts'

/** Made anew for every request; what somebody else says there could only contradict it. */
const made = new Set([
  'authorization',
  'connection',
  'content-length',
  'expect',
  'host',
  'keep-alive',
  'proxy-authorization',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
])

/** Headers as curl takes them: `Name: value`, as often as needed. */
function readHeaders(lines: readonly string[]): Headers {
  const headers = new Headers()
  for (const line of lines) {
    const [, name = '', value] = /^([^:\s]{1,100}):(.*)$/s.exec(line) ?? []
    if (value === undefined) throw wrong("give a name, a colon and a value: 'Range: bytes=0-99'")
    if (made.has(name.toLowerCase())) throw wrong(`${escapeText(name)} is set by latchkey`)
    append(headers, name, value)
  }
  return headers
}

/** No message repeats the value, which may be a secret. */
function append(headers: Headers, name: string, value: string): void {
  try {
    headers.append(name, value)
  } catch {
    throw wrong('a name or a value has a character that headers do not allow')
  }
}

function wrong(rule: string): Stop {
  return wrongUsage(`--header: ${rule}`)
}

/** Mistakes first: nothing is asked for, or read, on behalf of a request that cannot be. */
export function requestFrom(flags: Flags): StorageRequestInit {
  const [dataBinary, scope] = [textOf(flags['dataBinary']), textOf(flags['scope'])]
  const usual = dataBinary === undefined ? 'GET' : 'POST'
  const method = readMethod(textOf(flags['request']) ?? usual)
  if (dataBinary !== undefined && ['GET', 'HEAD'].includes(method)) {
    throw wrongUsage(`--data-binary: a ${method} request carries no data`)
  }
  return {
    method,
    headers: withDefaults(readHeaders(textsOf(flags['header']) ?? []), dataBinary !== undefined),
    ...(scope === undefined ? {} : { scope: readScope(scope) }),
    ...(dataBinary === undefined ? {} : { body: readData(dataBinary) }),
  }
}

/** The platform sends any but these three. */
function readMethod(flagValue: string): string {
  const method = flagValue.toUpperCase()
  if (/^[A-Z-]{1,20}$/.test(method) && !['CONNECT', 'TRACE', 'TRACK'].includes(method))
    return method
  throw wrongUsage(`--request: ${quoteGiven(flagValue)} is not allowed; give GET, PUT or the like`)
}

function readScope(flagValue: string): (typeof scopes)[number] {
  const scope = scopes.find((one) => one === flagValue)
  if (scope !== undefined) return scope
  throw wrongUsage(
    `--scope: ${quoteGiven(flagValue)} is not allowed; give one of ${scopes.join(', ')}`,
  )
}

/** The bytes as the storage has them: unpacked by nobody on the way, and of no kind unless it is said. */
function withDefaults(headers: Headers, hasData: boolean): Headers {
  if (!headers.has('accept-encoding')) headers.set('accept-encoding', 'identity')
  if (hasData && !headers.has('content-type')) {
    headers.set('content-type', 'application/octet-stream')
  }
  return headers
}
