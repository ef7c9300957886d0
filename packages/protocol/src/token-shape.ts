/** What hub tokens and storage tokens look like inside a text, whoever put them there. */

/** `_` and `.`, as they are or percent-encoded, however often. */
const underscore = '(?:_|%(?:25)*5[Ff])'
const within = '(?:[0-9A-Za-z_.-]|%(?:25)*(?:5[Ff]|2[Ee]))'

/** What every hub token of a hub begins with, such as `lk_`. */
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

const shortestTokenLength = 51
const tokenAsName = new RegExp(
  `${underscore}(?![0-9a-f]{49}|[0-9A-F]{49})[0-9A-Za-z]{49}|eyJ[0-9A-Za-z_-]{8,}\\.eyJ`,
)

/**
 * Whether a name is a hub token or a storage token that a client put in the wrong place. No account or repository has such a name, so the hub
 * sends it to no database, whose log of statements would keep it. A long hexadecimal number is no token.
 */
export function isTokenAsName(text: string): boolean {
  return text.length >= shortestTokenLength && tokenAsName.test(withoutEncoding(text))
}
