/** The ref uid of a token that must not open what was written under its tag or commit. */

/**
 * A uid that belongs to no ref and no commit. Ids have no dot, so it can never become one. The storage takes writes only
 * for uids that the directory has, so nothing is ever written under it. Only tokens to read carry it.
 */
export function unwrittenUid(uid: string): string {
  return `${uid}.part`
}
