/** A repository that somebody named as an argument. */

import { parseRepoRef, type RepoRef } from '@latchkey/protocol'
import { quoteGiven } from '@latchkey/service/text/escape'
import { wrongUsage } from '../output/stop.ts'

export function readRepository(given: string): RepoRef {
  const repo = parseRepoRef(given)
  if (repo !== undefined) return repo
  throw wrongUsage(
    `<repository>: ${quoteGiven(given)} is not allowed; give a repository such as models/acme/bert`,
  )
}
