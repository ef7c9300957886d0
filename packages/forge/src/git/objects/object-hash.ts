/** The hash of any object of a repository: a file's content, a folder, a commit, a tag. */

import { type CommitHash, parseCommitHash } from '@latchkey/protocol'

export type ObjectHash = CommitHash | (string & { readonly brand: 'object-hash' })

/** Repositories have SHA-1 hashes; a longer hash names nothing in them. */
const hashLength = 40

export function parseObjectHash(text: string): ObjectHash | undefined {
  const hash = parseCommitHash(text)
  return hash?.length === hashLength ? hash : undefined
}

/** A hash that the directory may name, as of a repository elsewhere. No object here has it. */
export function isLongerHash(hash: ObjectHash): boolean {
  return parseCommitHash(hash) === hash && hash.length > hashLength
}

/** Security boundary: whatever the types say, nothing but a hash reaches git where a hash is meant. */
export function hashArgument(hash: ObjectHash): string {
  if (parseObjectHash(hash) !== hash) throw new TypeError('an object is named by its full hash')
  return hash
}

/** A hash as git writes it. */
export function readHash(text: string): ObjectHash {
  const hash = parseObjectHash(text.trim())
  if (hash === undefined) throw new Error('git gave no hash')
  return hash
}
