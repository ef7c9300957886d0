/** Decides about one ref of a push before its objects are read. The directory decides again when it is changed. */

import type { CallerDecision, CallerQuestions, RefDependents } from '@latchkey/admin-api/forge-port'
import {
  type CommitHash,
  isRefusal,
  type NoCommit,
  noCommit,
  parseRefName,
  type RefName,
  type RepoRef,
} from '@latchkey/protocol'
import { isShownRef, type ObjectHash, type PushCommand } from '../git/index.ts'
import type { PushFault } from './check-objects.ts'

interface Judged {
  readonly ref: RefName
  /** The target of git's ref; undefined where git has none. */
  readonly old: ObjectHash | undefined
  /** The commit that the directory has. */
  readonly from: CommitHash | NoCommit
}

export type JudgedCommand =
  | (Judged & { readonly kind: 'create'; readonly to: ObjectHash })
  | (Judged & {
      readonly kind: 'move'
      readonly to: ObjectHash
      readonly permitted: CallerDecision
    })
  | (Judged & {
      readonly kind: 'move-tag'
      readonly to: ObjectHash
      readonly dependents: RefDependents
    })
  | (Judged & { readonly kind: 'delete'; readonly dependents: RefDependents })

export interface Judging {
  readonly hub: Pick<CallerQuestions, 'decide' | 'dependents'>
  readonly repo: RepoRef
  /** The targets of git's refs. */
  readonly current: ReadonlyMap<RefName, ObjectHash>
  readonly defaultBranch: RefName | undefined
}

/** The word of git for a ref that somebody else has changed. */
export const fetchFirst: PushFault = { fault: 'fetch first' }

export async function judgeCommand(
  judging: Judging,
  command: PushCommand,
): Promise<JudgedCommand | PushFault> {
  const ref = parseRefName(command.ref)
  if (ref === undefined || !isShownRef(ref)) return unservedRef()
  const isProposal = ref.startsWith('refs/pr/')
  if (isProposal && !/^refs\/pr\/[1-9]\d{0,9}$/.test(ref)) return unservedRef()
  const old = judging.current.get(ref)
  if ((old ?? noCommit) !== command.old) return fetchFirst
  if (command.new === noCommit) return judgeDeletion(judging, { ref, old })
  const to = command.new as ObjectHash
  if (isProposal && old === undefined) return noNewProposal()
  if (old !== undefined && ref.startsWith('refs/tags/')) return judgeTagMove(judging, ref, old, to)
  return judgeWrite(judging, { ref, old, to })
}

async function judgeWrite(
  { hub, repo }: Judging,
  {
    ref,
    old,
    to,
  }: { readonly ref: RefName; readonly old: ObjectHash | undefined; readonly to: ObjectHash },
): Promise<JudgedCommand | PushFault> {
  const permitted = await hub.decide({ repo, revision: { kind: 'ref', name: ref }, scope: 'write' })
  if (isRefusal(permitted)) {
    const isAbsent = permitted.code === 'revision_not_found' && old === undefined
    return isAbsent ? { kind: 'create', ref, old, to, from: noCommit } : faultOf(permitted)
  }
  const { commit: from } = permitted
  // Git was settled before: what differs now was changed since.
  if (old !== undefined && old !== from) return fetchFirst
  return { kind: 'move', ref, old, to, from, permitted }
}

async function judgeTagMove(
  { hub, repo }: Judging,
  ref: RefName,
  old: ObjectHash,
  to: ObjectHash,
): Promise<JudgedCommand | PushFault> {
  const dependents = await hub.dependents({ repo, ref })
  if (isRefusal(dependents)) return faultOf(dependents)
  return { kind: 'move-tag', ref, old, to, from: dependents.commit, dependents }
}

async function judgeDeletion(
  { hub, repo, defaultBranch }: Judging,
  { ref, old }: { readonly ref: RefName; readonly old: ObjectHash | undefined },
): Promise<JudgedCommand | PushFault> {
  if (old === undefined) return { fault: 'There is no such ref.' }
  if (ref.startsWith('refs/pr/')) return { fault: 'Pull requests are not deleted by a push.' }
  if (ref === defaultBranch) return { fault: 'The default branch cannot be deleted.' }
  const dependents = await hub.dependents({ repo, ref })
  if (isRefusal(dependents)) return faultOf(dependents)
  return { kind: 'delete', ref, old, from: dependents.commit, dependents }
}

export function faultOf({ detail }: { readonly detail: string }): PushFault {
  return { fault: detail }
}

function unservedRef(): PushFault {
  return { fault: 'This hub takes branches, tags and the refs of open pull requests alone.' }
}

function noNewProposal(): PushFault {
  return { fault: 'Pull requests are opened with the API. Then push to their refs.' }
}
