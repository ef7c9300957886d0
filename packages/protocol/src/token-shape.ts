/** Recognizes hub tokens and storage tokens inside a text. */

/** `_` and `.`, as they are or percent-encoded, however often. */
const underscore = '(?:_|%(?:25)*5[Ff])'
const within = '(?:[0-9A-Za-z_.-]|%(?:25)*(?:5[Ff]|2[Ee]))'

/** The prefix of a hub's hub tokens, such as `lk_`. */
export function isPrefix(text: string): boolean {
  return /^[a-z][a-z0-9]{0,15}_$/.test(text)
}

/** A hub token of any prefix, or anything that begins like a JWS, with all that hangs on to it. */
export const tokenShape = `${underscore}[0-9A-Za-z]{49}${within}*|eyJ[0-9A-Za-z-]{8}${within}*`

const percent = 0x25
/** So many arguments fit into a call. */
const charsAtOnce = 8192

/**
 * Every character of ASCII as it is, however often it was percent-encoded, and if its escapes were encoded, too. An escape
 * becomes its character as soon as its last digit is there, and that character may end another escape. Each step makes the text
 * shorter, so the time grows with the length of the text alone.
 */
export function withoutEncoding(text: string): string {
  if (!text.includes('%')) return text
  const codes = new Uint16Array(text.length)
  let length = 0
  for (let at = 0; at < text.length; at += 1) {
    codes[length] = text.charCodeAt(at)
    length += 1
    for (let code = codeAtEnd(codes, length); code !== undefined; ) {
      length -= 2
      codes[length - 1] = code
      code = codeAtEnd(codes, length)
    }
  }
  let decoded = ''
  for (let at = 0; at < length; at += charsAtOnce) {
    decoded += String.fromCharCode(...codes.subarray(at, Math.min(length, at + charsAtOnce)))
  }
  return decoded
}

/** The character of the escape that ends there. */
function codeAtEnd(codes: Uint16Array, length: number): number | undefined {
  if (length < 3 || codes[length - 3] !== percent) return undefined
  const high = digitOf(codes[length - 2])
  const low = digitOf(codes[length - 1])
  if (high === undefined || low === undefined || high < 2 || high > 7) return undefined
  return high * 16 + low
}

function digitOf(code = 0): number | undefined {
  if (code >= 0x30 && code <= 0x39) return code - 0x30
  // Lower case.
  const letter = code | 0x20
  return letter >= 0x61 && letter <= 0x66 ? letter - 0x57 : undefined
}

const minTokenLength = 51
const tokenAsName = new RegExp(
  `${underscore}(?![0-9a-f]{49}|[0-9A-F]{49})[0-9A-Za-z]{49}|eyJ[0-9A-Za-z_-]{8,}\\.eyJ`,
)

/**
 * Whether a name is a hub token or a storage token that a client put in the wrong place. No account or repository has such a name, so the hub
 * sends it to no database, whose log of statements would keep it. A long hexadecimal number is no token.
 */
export function isTokenAsName(text: string): boolean {
  return text.length >= minTokenLength && tokenAsName.test(withoutEncoding(text))
}

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

const token = new RegExp(tokenShape, 'g')
const anyToken = new RegExp(tokenShape)

/** A word in which letters or digits may be percent-encoded. */
const word = /(?:[0-9A-Za-z_.-]|%(?:25)*[2-7][0-9A-Fa-f])+/g
const bearer = /\bbearer\s+[\w\-.~+/]{8,}=*/gi

/** Characters that would let a value pretend to be another line or reorder the text on a screen. */
const misleading = /[\u007f-\u009f\u061c\u200e\u200f\u2028\u2029\u202a-\u202e\u2066-\u2069]/g

/** Hardly any text has anything to hide; one pass finds out. */
const suspicious =
  /_[0-9A-Za-z]{49}|%(?:25)*[3-7][0-9A-Fa-f]|eyJ|[Bb][Ee][Aa][Rr][Ee][Rr]|[\u007f-\u009f\u061c\u200e-\u2069]/

export function scrub(text: string): string {
  if (!suspicious.test(text)) return text
  const plain = text.includes('%') ? text.replace(word, withoutToken) : text
  return plain.replace(token, named).replace(bearer, 'Bearer [secret]').replace(misleading, escaped)
}

/** A word whose encoding hides a token is cut out as a whole. */
function withoutToken(word: string): string {
  if (!word.includes('%')) return word
  const [token] = anyToken.exec(withoutEncoding(word)) ?? []
  return token === undefined ? word : named(token)
}

function named(token: string): string {
  return token.startsWith('eyJ') ? '[access-token]' : '[hub-token]'
}

function escaped(character: string): string {
  return `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`
}
