/** The bearer credential of a request, read from its Authorization headers. */

/** RFC 6750 §2.1: `Bearer`, one space, one token68; the scheme in any case (RFC 9110 §11.1). */
const scheme = 'bearer '
const token68 = /^[A-Za-z0-9\-._~+/]+=*$/

export type Bearer = { readonly token: string } | 'missing' | 'malformed'

/** `values` are all Authorization headers of the request: two of them are ambiguous, so refused. */
export function readBearer(values: readonly string[]): Bearer {
  const [value, second] = values
  if (value === undefined) return 'missing'
  if (second !== undefined) return 'malformed'
  if (value.slice(0, scheme.length).toLowerCase() !== scheme) {
    return /^bearer(\s|$)/i.test(value) ? 'malformed' : 'missing'
  }
  const token = value.slice(scheme.length)
  return isBearerToken(token) ? { token } : 'malformed'
}

/** Whether a header can carry it as it is. */
export function isBearerToken(text: string): boolean {
  return token68.test(text)
}
