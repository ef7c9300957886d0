/** The headers of the storage's answer as the client gets them. */

import type { HeaderList } from '@latchkey/service/http/header-list'
import { hopHeaders } from './hop-headers.ts'

/** `own` are the gateway's; they replace the storage's of the same name. */
export function clientHeaders(answered: HeaderList, own: HeaderList): string[] {
  const dropped = hopHeaders(answered)
  const replaced = namesIn(own)
  replaced.delete('vary')
  const kept: string[] = []
  // Last, because Node refuses a Content-Disposition beyond ASCII once it knows the length.
  let length: HeaderList = []
  // No pairs are made, here and below: every answer waits for this.
  for (let index = 0; index < answered.length; index += 2) {
    const [name, value] = [answered[index] ?? '', answered[index + 1] ?? '']
    const lower = name.toLowerCase()
    if (dropped.has(lower) || replaced.has(lower) || !sendable.test(value)) continue
    if (lower === 'content-length') length = [name, value]
    else kept.push(name, value)
  }
  return [...kept, ...own, ...length]
}

function namesIn(headers: HeaderList): Set<string> {
  const names = new Set<string>()
  for (let index = 0; index < headers.length; index += 2) {
    names.add((headers[index] ?? '').toLowerCase())
  }
  return names
}

/** RFC 9110 §5.5: a value with a control in it cannot be sent on. */
const sendable = /^[\t\u0020-\u007e\u0080-\u00ff]*$/

/** Bytes stay the bytes they are, whatever encoding the storage had in mind. */
export function rawHeadersOf(raw: unknown): HeaderList {
  if (!Array.isArray(raw)) return []
  return raw.map((part: unknown) =>
    Buffer.isBuffer(part) ? part.toString('latin1') : String(part),
  )
}
