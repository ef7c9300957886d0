/** Base64 in its one spelling: padded, nothing between the letters, no bits left over. */

/** Undefined for any other spelling. */
export function decodeBase64(text: string): Uint8Array | undefined {
  if (text.length % 4 !== 0 || !/^[A-Za-z0-9+/]*={0,2}$/.test(text)) return undefined
  const bytes = Buffer.from(text, 'base64')
  // Only the last letters can hold bits that belong to no byte.
  const last = bytes.subarray(Math.max(0, bytes.length - (bytes.length % 3 || 3)))
  return last.toString('base64') === text.slice(-4) ? bytes : undefined
}
