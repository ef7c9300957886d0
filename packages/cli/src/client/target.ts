/** A target as people write it: `models/acme/bert@main`. */

import { parseRepoRef } from '@latchkey/protocol'
import { quoteGiven } from '@latchkey/service/text'
import { wrongUsage } from '../output/stop.ts'

export const targetForm = 'a repository, and a revision after @: models/acme/bert@main'

/** A repository has no @ in its name, so the first one begins the revision. */
export function splitTarget(text: string): { repository: string; revision?: string } {
  const [, repository = '', revision] = /^([^@]*)(?:@(.*))?$/s.exec(text) ?? []
  return { repository, ...(revision === undefined ? {} : { revision }) }
}

export interface Target {
  readonly repo: string
  readonly revision: string
}

/** Whether there is such a revision is for the hub to say. */
export function parseTarget(text: string): Target {
  const { repository: repo, revision = 'main' } = splitTarget(text)
  if (parseRepoRef(repo) !== undefined && revision !== '') return { repo, revision }
  throw wrongUsage(
    `<target>: ${quoteGiven(text)} must be a repository such as models/acme/bert, then @ and a revision unless it is main`,
  )
}
