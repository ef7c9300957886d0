/** What somebody typed after `fetch`, as a request to the storage. */

import type { StorageRequestInit } from '@latchkey/client'
import { scopes } from '@latchkey/protocol'
import { quoteGiven } from '@latchkey/service/text/escape'
import type { Flags } from '../configuration/read-configuration.ts'
import { wrongUsage } from '../output/stop.ts'
import { textOf, textsOf } from '../reading/members-of.ts'
import { readData } from './request-data.ts'
import { readHeaders } from './request-headers.ts'

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
function readMethod(given: string): string {
  const method = given.toUpperCase()
  if (/^[A-Z-]{1,20}$/.test(method) && !['CONNECT', 'TRACE', 'TRACK'].includes(method))
    return method
  throw wrongUsage(`--request: ${quoteGiven(given)} is not allowed; give GET, PUT or the like`)
}

function readScope(given: string): (typeof scopes)[number] {
  const scope = scopes.find((one) => one === given)
  if (scope !== undefined) return scope
  throw wrongUsage(`--scope: ${quoteGiven(given)} is not allowed; give one of ${scopes.join(', ')}`)
}

/** The bytes as the storage has them: unpacked by nobody on the way, and of no kind unless it is said. */
function withDefaults(headers: Headers, hasData: boolean): Headers {
  if (!headers.has('accept-encoding')) headers.set('accept-encoding', 'identity')
  if (hasData && !headers.has('content-type')) {
    headers.set('content-type', 'application/octet-stream')
  }
  return headers
}
