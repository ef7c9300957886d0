/** Compares answers in everything but what must differ. */

import type { Told } from '@latchkey/testing/hub/ask'

/** Status, headers and body without the request id and the time; `asked` is what the caller typed. */
export function gist({ status, headers, json }: Told, asked = ''): object {
  const blank = (text: string) => (asked === '' ? text : text.replaceAll(asked, '<asked>'))
  const kept = [...headers].filter(([name]) => !['x-request-id', 'date'].includes(name))
  // The length of a body follows from its text, which is compared.
  const lines = kept.filter(([name]) => name !== 'content-length')
  return {
    status,
    headers: lines.map(([name, value]) => `${name}: ${blank(value)}`).sort(),
    body: blank(JSON.stringify({ ...json, requestId: '' })),
  }
}

export function codeOf({ status, json }: Told): [number, unknown] {
  return [status, json['code']]
}
