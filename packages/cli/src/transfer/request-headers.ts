/** Headers as curl takes them: `Name: value`, as often as needed. */

import { escapeText } from '@latchkey/service/text/escape'
import { type Stop, wrongUsage } from '../output/stop.ts'

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

export function readHeaders(lines: readonly string[]): Headers {
  const headers = new Headers()
  for (const line of lines) {
    const [, name = '', value] = /^([^:\s]{1,100}):(.*)$/s.exec(line) ?? []
    if (value === undefined) throw wrong("give a name, a colon and a value: 'Range: bytes=0-99'")
    if (made.has(name.toLowerCase())) throw wrong(`${escapeText(name)} is made by latchkey itself`)
    append(headers, name, value)
  }
  return headers
}

/** Neither we nor the platform repeat the value, which may be a secret. */
function append(headers: Headers, name: string, value: string): void {
  try {
    headers.append(name, value)
  } catch {
    throw wrong('a name or a value holds what no header may')
  }
}

function wrong(rule: string): Stop {
  return wrongUsage(`--header: ${rule}`)
}
