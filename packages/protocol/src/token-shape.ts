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

const encoded = /%(?:25)*([2-7][0-9A-Fa-f])/g

/** Every character of ASCII as it is, however often it was percent-encoded. */
export function withoutEncoding(text: string): string {
  if (!text.includes('%')) return text
  return text.replace(encoded, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)))
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
