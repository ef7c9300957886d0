/** Requests to give a ref the files that other tokens of its repository see. */

import type { Caller, Told } from '../caller.ts'
import type { Content } from './content.ts'

/** With the token of `to`, through those of `through`. */
export function adopt(
  to: Caller,
  files: readonly Pick<Content, 'file'>[],
  through: readonly Caller[] = [],
): Promise<Told> {
  return adoptHashes(
    to,
    files.map(({ file }) => file.hash),
    through.map(({ token }) => token),
  )
}

export function adoptHashes(
  to: Caller,
  files: readonly string[],
  through: readonly string[] = [],
): Promise<Told> {
  return to.ask('POST /v1/shards/adopt', { body: JSON.stringify({ files, through }) })
}
