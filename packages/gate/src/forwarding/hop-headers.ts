/** Headers that belong to one connection and are not handed on. */

import { type HeaderList, joinedValues } from '@latchkey/service/http/header-list'

/** RFC 9110 §7.6.1, and headers that older servers treat alike. */
const hopByHop = [
  ...['connection', 'keep-alive', 'proxy-connection', 'proxy-authenticate', 'proxy-authorization'],
  ...['te', 'trailer', 'transfer-encoding', 'upgrade', 'http2-settings', 'expect'],
]

/** Lower-case names to leave out: the fixed ones and those that `Connection` names. */
export function hopHeaders(headers: HeaderList): ReadonlySet<string> {
  const named = joinedValues(headers, 'connection')?.trim().toLowerCase() ?? ''
  if (['', 'close', 'keep-alive'].includes(named)) return fixed
  return new Set([...hopByHop, ...named.split(',').map((name) => name.trim())])
}

const fixed: ReadonlySet<string> = new Set(hopByHop)
