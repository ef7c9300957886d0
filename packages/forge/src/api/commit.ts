import type { PermittedRevision } from '@latchkey/admin-api/forge-port'
import {
  type CommitHash,
  isRefusal,
  type RefName,
  type Refusal,
  type RepoRef,
  refuse,
} from '@latchkey/protocol'
import {
  atPace,
  BodyTooLarge,
  BodyTooSlow,
  boundedParts,
  usualPace,
} from '@latchkey/service/http/bodies'
import type { RevisionAddress } from '../addresses/find-route.ts'
import { adoptLargeFiles } from '../commits/adopt-large-files.ts'
import { type Copies, findCopies } from '../commits/find-copies.ts'
import { makeCommit, refusalOf } from '../commits/make-commit.ts'
import { ProposalTooLarge } from '../commits/repository-room.ts'
import { type StagedCommit, stage } from '../commits/stage.ts'
import type { Repository } from '../git/index.ts'
import type { Exchange, ForgeDeps, ForgeHandler } from '../handler/exchange.ts'
import { type ForgeReply, json } from '../http/reply.ts'
import { isFlagSet } from '../words/query.ts'
import { pageUrl } from './addresses-of.ts'
import { inSlot, turnOf } from './change-in-turn.ts'
import { propose } from './propose.ts'

export const commit: ForgeHandler<RevisionAddress> = async (exchange, address, parts) => {
  if (isFlagSet(exchange.query, 'create_pr')) return pullRequest(exchange, address, parts)
  const { hub, signal } = exchange
  const decide = () => hub.decide({ ...address, scope: 'write' })
  const permitted = await decide()
  if (isRefusal(permitted)) return permitted
  const { repo, repositoryUid: uid } = permitted
  const ref = permitted.ref.name as RefName
  if (!ref.startsWith('refs/heads/') && !ref.startsWith('refs/pr/')) {
    return refuse('bad_request', 'A commit is made on a branch. Name a branch as the revision.')
  }
  return whereRoom(exchange, parts, { permitted, again: decide }, async (repository) => {
    const copies = findCopies({ hub, repository, repo, signal })
    const staged = await staging(exchange, parts, { permitted, repository, copies })
    if (isRefusal(staged)) return staged
    const through = await copies.tokens()
    if (isRefusal(through)) return through
    const to = staged.large.length === 0 ? undefined : await permitted.storageToken()
    if (isRefusal(to)) return to
    const { storage } = parts
    const refused = to && (await adoptLargeFiles({ hub, storage, repo, to, through }, staged.large))
    if (refused !== undefined) return refusalOf(await decide()) ?? refused
    const making = { ...parts, hub: parts.port, signal }
    const { account } = permitted
    const branch = { repo, uid, ref, account, repository, hub, refUid: to?.refUid }
    const made = await parts.inTurn(turnOf(exchange, uid), () => makeCommit(branch, staged, making))
    return isRefusal(made) ? made : json(answerOf(made, repo, parts))
  })
}

/** The answer of a commit that becomes a pull request names it. */
async function pullRequest(
  exchange: Exchange,
  address: RevisionAddress,
  parts: ForgeDeps,
): Promise<ForgeReply | Refusal> {
  const { hub, signal } = exchange
  const decide = () => hub.openUpload({ ...address, scope: 'read' })
  const base = await decide()
  if (isRefusal(base)) return base
  const { repo, repositoryUid: uid } = base
  return whereRoom(exchange, parts, { permitted: base, again: decide }, async (repository) => {
    const copies = findCopies({ hub, repository, repo, signal })
    const staged = await staging(exchange, parts, { permitted: base, repository, copies })
    if (isRefusal(staged)) return staged
    const through = await copies.tokens()
    if (isRefusal(through)) return through
    const proposal = { hub, repo, repository, base, staged, through, signal }
    const made = await parts.inTurn(turnOf(exchange, uid), () => propose(parts, proposal))
    if (isRefusal(made)) return made
    const pullRequestUrl = `${pageUrl(parts.publicUrl, repo)}/discussions/${made.number}`
    return json({ ...answerOf(made.commit, repo, parts), pullRequestUrl })
  })
}

interface Place extends Pick<Staging, 'permitted'> {
  /** Decides once more. */
  again(): Promise<object>
}

/** The slot is held until the commit is made: the work after the body is work, too. */
async function whereRoom(
  exchange: Exchange,
  parts: ForgeDeps,
  { permitted, again }: Place,
  work: (repository: Repository) => Promise<ForgeReply | Refusal>,
): Promise<ForgeReply | Refusal> {
  const { repositoryUid: uid } = permitted
  try {
    const repository = await parts.git.create(uid)
    const full = await parts.room.refuseFull(uid, repository, permitted)
    return full ?? (await inSlot(exchange, parts, () => work(repository)))
  } catch (error) {
    // Git fails in a repository that is deleted while the commit is made.
    const refused = exchange.signal.aborted ? undefined : refusalOf(await again())
    if (refused !== undefined) return refused
    throw error
  }
}

/** A commit of many files may come slowly, and holds its slot. */
const commitPace = { ...usualPace, maxMs: 600_000 }

interface Staging {
  readonly permitted: Pick<PermittedRevision, 'repositoryUid' | 'isReader'>
  readonly repository: Repository
  readonly copies: Copies
}

async function staging(
  { request, signal }: Exchange,
  { room, bounds, reserve }: ForgeDeps,
  { permitted, repository, copies }: Staging,
): Promise<StagedCommit | Refusal> {
  const { repositoryUid: uid, isReader } = permitted
  try {
    const parts = request.iterator({ destroyOnReturn: false })
    const body = reserve.guard(atPace(boundedParts(parts, bounds.commitBytes), commitPace))
    const counted = isReader ? room.countProposal(uid, body) : body
    return await stage(repository, counted, { signal, copies })
  } catch (error) {
    if (isOfBody(error)) return error.refusal
    throw error
  }
}

function isOfBody(error: unknown): error is BodyTooLarge | BodyTooSlow | ProposalTooLarge {
  return [BodyTooLarge, BodyTooSlow, ProposalTooLarge].some((kind) => error instanceof kind)
}

function answerOf(made: CommitHash, repo: RepoRef, { publicUrl }: ForgeDeps): object {
  const commitUrl = `${pageUrl(publicUrl, repo)}/commit/${made}`
  return { success: true, commitOid: made, commitUrl, hookOutput: '' }
}
