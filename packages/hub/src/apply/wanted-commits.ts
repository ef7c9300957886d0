/** The commits that a directory file puts on record for one repository; they only ever add up. */

import { expectedCommit, type InputPath, mistake, type RepositoryEntry } from '@latchkey/admin-api'
import {
  type CommitHash,
  parseCommitHash,
  type RefName,
  type Refusal,
  refuse,
  shortRefName,
} from '@latchkey/protocol'
import type { NewRefRow } from '../tables/rows.ts'
import type { WantedCommit } from '../verbs/record-commits.ts'
import { at } from './planning.ts'

export function wantedCommits(
  { commits = {} }: RepositoryEntry,
  path: InputPath,
  refs: ReadonlyMap<string, NewRefRow>,
): readonly WantedCommit[] | Refusal {
  const wanted = new Map<CommitHash, WantedCommit>()
  for (const [text, names] of Object.entries(commits)) {
    const here = [...path, 'commits', text]
    const hash = parseCommitHash(text)
    if (hash === undefined) return mistake(here, expectedCommit)
    if (wanted.has(hash)) {
      return mistake(here, 'repeats a commit that is named above: keep one of them')
    }
    const holders: NewRefRow[] = []
    for (const [index, name] of names.entries()) {
      const ref = refs.get(name)
      if (ref === undefined) return at([...here, index], noHolder(name))
      holders.push(ref)
    }
    wanted.set(hash, { hash, holders })
  }
  return Array.from(wanted.values())
}

function noHolder(name: RefName): Refusal {
  return refuse(
    'resource_not_found',
    `There is no ${shortRefName(name)} to hold this commit. Name it in the file too, or leave it out.`,
  )
}
