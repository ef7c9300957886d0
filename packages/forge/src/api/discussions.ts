import type { CallerQuestions, PermittedRevision } from '@latchkey/admin-api/forge-port'
import {
  type CommitHash,
  isRefusal,
  parseRefName,
  parseRevision,
  type Refusal,
  type RepoRef,
  refuse,
  repoId,
} from '@latchkey/protocol'
import type { RepoAddress } from '../addresses/find-route.ts'
import { findPullRequest } from '../commits/records.ts'
import type { Repository } from '../git/index.ts'
import type { ForgeHandler } from '../handler/exchange.ts'
import { jsonMembers } from '../http/bodies.ts'
import { json } from '../http/reply.ts'
import { isNone } from '../large-files/open-revision.ts'
import { cutToJson } from '../words/json-bytes.ts'
import { isFlagSet } from '../words/query.ts'
import { pageUrl } from './addresses-of.ts'
import { inSlot, turnOf } from './change-in-turn.ts'
import { notYet } from './later.ts'
import { openPullRequest } from './open-pull-request.ts'
import { isoTime } from './repo-info.ts'

const maxTitleLength = 200
/** As JSON. */
const maxDiffBytes = 1024 * 1024

/** It begins where the default branch is. */
export const createDiscussion: ForgeHandler<RepoAddress> = async (
  exchange,
  { repo: named },
  parts,
) => {
  const { hub, signal } = exchange
  const readDecision = await hub.decide({ repo: named, revision: undefined, scope: 'read' })
  if (isRefusal(readDecision)) return readDecision
  const caller = await hub.whoami()
  if (isRefusal(caller)) return caller
  const members = await jsonMembers(exchange)
  if (isRefusal(members)) return members
  if (members['pullRequest'] !== true) return notYet('discussions that are no pull requests')
  const { title } = members
  if (typeof title !== 'string' || title.length > maxTitleLength || !title.isWellFormed()) {
    return refuse('bad_request', `title must be a text of at most ${maxTitleLength} characters.`)
  }
  const base = await hub.openUpload({ repo: named, revision: undefined, scope: 'read' })
  if (isRefusal(base)) return base
  const { repo, repositoryUid: uid, commit } = base
  if (isNone(commit)) return refuse('bad_request', 'The default branch has no commit yet.')
  const made = await inSlot(exchange, parts, async () => {
    await parts.reserve.check()
    const repository = await parts.git.create(uid)
    if ((await repository.treeOf(commit)) === undefined) {
      return refuse('conflict', `The repository does not have the commit ${commit}.`)
    }
    const full = await parts.room.refuseFull(uid, repository, base)
    if (full !== undefined) return full
    const opening = { hub, repo, repository, base, commit, title, large: [], signal }
    return parts.inTurn(turnOf(exchange, uid), () => openPullRequest(parts, opening))
  })
  if (isRefusal(made)) return made
  const { number: num } = made
  const url = `${pageUrl(parts.publicUrl, repo)}/discussions/${num}`
  return json({ num, title, url, pullRequest: true })
}

/** A pull request stays open: merging is not served yet. */
export const showDiscussion: ForgeHandler<RepoAddress & { readonly number: number }> = async (
  { hub, query, signal },
  { repo: named, number },
  { git },
) => {
  const name = parseRefName(`refs/pr/${number}`)
  if (name === undefined) return noSuch(number)
  const revision = { kind: 'ref', name } as const
  const permitted = await hub.decide({ repo: named, revision, scope: 'read' })
  if (isRefusal(permitted)) return permitted
  const { repo, repositoryUid: uid, commit } = permitted
  const repository = git.openToRead(uid)
  if (repository === undefined) return noSuch(number)
  const found = await findPullRequest(repository, number)
  if (found === undefined) return noSuch(number)
  const { title, account, base: target, at } = found
  const base = await hub.decide({ repo, revision: parseRevision(target), scope: 'read' })
  const diff =
    isFlagSet(query, 'diff') && !isNone(commit) && !isRefusal(base)
      ? await diffOf({ hub, repo, repository, number, base, commit }, signal)
      : undefined
  return json({
    ...{ num: number, title, status: 'open', isPullRequest: true, createdAt: isoTime(at) },
    ...{ author: { name: account }, repo: { name: repoId(repo), type: repo.type } },
    // A name that is hidden from the caller is not told. Clients need the member.
    ...{ changes: { base: isRefusal(base) ? null : target }, filesWithConflicts: [], events: [] },
    ...(diff === undefined ? {} : { diff }),
  })
}

interface Proposal {
  readonly hub: Pick<CallerQuestions, 'decide'>
  readonly repo: RepoRef
  readonly repository: Repository
  readonly number: number
  readonly base: PermittedRevision
  readonly commit: CommitHash
}

/**
 * From the commit where the pull request leaves its base. A diff shows lines of that commit, so the caller must be allowed
 * to read it by itself; otherwise there is no diff.
 */
async function diffOf(proposal: Proposal, signal: AbortSignal): Promise<string | undefined> {
  const { hub, repo, repository, number, base, commit: to } = proposal
  if (isNone(base.commit)) return undefined
  if ((await repository.treeOf(base.commit)) === undefined) return undefined
  const from = await repository.mergeBase([base.commit, to], { signal })
  if (from === undefined) return undefined
  const revision = { kind: 'commit', hash: from } as const
  if (isRefusal(await hub.decide({ repo, revision, scope: 'read' }))) return undefined
  const { text, isCut } = await repository.diffText(
    { from, to },
    { maxBytes: maxDiffBytes, signal },
  )
  const diff = cutToJson(text, maxDiffBytes)
  return isCut || diff !== text ? `${diff}\n${cutNote(number)}\n` : text
}

function cutNote(number: number): string {
  return `The diff ends here: it is longer than ${maxDiffBytes} bytes of JSON, or git took too long. Fetch refs/pr/${number} with git to see the rest.`
}

function noSuch(number: number): Refusal {
  return refuse('not_found', `There is no pull request ${number}.`)
}
