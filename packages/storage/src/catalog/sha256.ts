/** SHA-256 of the bytes of a file: what other programs than those of the Xet protocol know a file by. */

/** 64 lower-case hexadecimal digits, in the order of the bytes. */
export type Sha256 = string & { readonly brand: 'sha256' }

export function parseSha256(text: string): Sha256 | undefined {
  return /^[0-9a-f]{64}$/.test(text) ? (text as Sha256) : undefined
}
