/** The digests of objects that one repository alone has: behind the digest of the bytes they name the repository. */

import type { RepositoryUid } from '@latchkey/protocol'
import type { Digest } from '../objects/object-store.ts'

/** In hexadecimal digits. */
export const digestLength = 64

/** No uid has it, and no digest. */
const separator = '@'

export function digestWithin(repositoryUid: RepositoryUid, digest: Digest): Digest {
  return `${digestOfBytes(digest)}${separator}${repositoryUid}` as Digest
}

/** Security boundary: true only where no row of another repository can name the object. */
export function isWithin(repositoryUid: RepositoryUid, digest: Digest): boolean {
  return digest === digestWithin(repositoryUid, digest)
}

/** The same in every repository. */
export function digestOfBytes(digest: Digest): Digest {
  return digest.slice(0, digestLength) as Digest
}
