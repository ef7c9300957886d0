/** The small text that stands in git for a large file: https://git-lfs.github.com/spec/v1. */

/** The SHA-256 of a large file's content, 64 lower-case hex digits. Only a claim until the content was hashed. */
export type LfsOid = string & { readonly brand: 'lfs-oid' }

export interface Pointer {
  readonly oid: LfsOid
  readonly sizeBytes: number
}

/** The longest canonical text, with a size of 16 digits. */
export const maxPointerBytes = 43 + 76 + 22
/** A size has one digit at least. */
export const minPointerBytes = maxPointerBytes - 15

const shape =
  /^version https:\/\/git-lfs\.github\.com\/spec\/v1\noid sha256:([0-9a-f]{64})\nsize (0|[1-9]\d{0,15})\n$/

export function parseLfsOid(text: string): LfsOid | undefined {
  return /^[0-9a-f]{64}$/.test(text) ? (text as LfsOid) : undefined
}

/**
 * Undefined for every other text, such as one with extensions or another order of lines: git-lfs would write it anew,
 * so one file would have two blobs.
 */
export function parsePointer(content: string | Uint8Array): Pointer | undefined {
  if (content.length > maxPointerBytes) return undefined
  const text = typeof content === 'string' ? content : Buffer.from(content).toString('latin1')
  const [, oid, size] = shape.exec(text) ?? []
  const sizeBytes = Number(size)
  return oid === undefined || !Number.isSafeInteger(sizeBytes)
    ? undefined
    : { oid: oid as LfsOid, sizeBytes }
}

export function formatPointer({ oid, sizeBytes }: Pointer): string {
  return `version https://git-lfs.github.com/spec/v1\noid sha256:${oid}\nsize ${sizeBytes}\n`
}
