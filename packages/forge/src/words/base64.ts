/** Base64 in its one spelling: padded, nothing between the letters, no bits left over. */

/** Undefined for any other spelling. */
export function decodeBase64(text: string): Uint8Array | undefined {
  const bytes = Buffer.from(text, 'base64')
  return bytes.toString('base64') === text ? bytes : undefined
}
