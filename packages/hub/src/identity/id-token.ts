/** The form of an id token: a signed JWT of another service. Nothing of it is verified here. */

/** A job's id token has 1 to 2 KiB. */
export const maxIdTokenLength = 8192

export interface UnverifiedIdToken {
  readonly header: Readonly<Record<string, unknown>>
  readonly claims: Readonly<Record<string, unknown>>
}

const shape = /^[\w-]+\.[\w-]+\.[\w-]+$/

/** Undefined unless the text has the form of a signed token whose header and claims are JSON objects. */
export function readIdToken(text: string): UnverifiedIdToken | undefined {
  if (text.length > maxIdTokenLength || !shape.test(text)) return undefined
  const [header = '', claims = ''] = text.split('.')
  const read = { header: objectIn(header), claims: objectIn(claims) }
  return read.header === undefined || read.claims === undefined
    ? undefined
    : { header: read.header, claims: read.claims }
}

function objectIn(segment: string): Readonly<Record<string, unknown>> | undefined {
  try {
    const decoder = new TextDecoder('utf-8', { fatal: true })
    const value: unknown = JSON.parse(decoder.decode(Buffer.from(segment, 'base64url')))
    const isObject = typeof value === 'object' && value !== null && !Array.isArray(value)
    return isObject ? { ...value } : undefined
  } catch {
    return undefined
  }
}
