/** Opens a repository for a push of a caller who may read every ref, and write one. */

import type { CallerProfile } from '@latchkey/admin-api/forge-port'
import {
  isRefusal,
  type RefName,
  type Refusal,
  type RepoRef,
  type RepositoryUid,
  refuse,
} from '@latchkey/protocol'
import type { Repository } from '../git/index.ts'
import type { Exchange, ForgeDeps } from '../handler/exchange.ts'
import { settledRepository } from './git-fetch.ts'

export interface PushPlace {
  readonly repo: RepoRef
  readonly uid: RepositoryUid
  readonly repository: Repository
}

/** A pack is checked against all that the refs lead to, so it is for callers who may read every ref. */
export async function openPush(
  exchange: Exchange,
  named: RepoRef | undefined,
  parts: ForgeDeps,
): Promise<PushPlace | Refusal> {
  const { hub } = exchange
  const caller = await hub.whoami()
  if (isRefusal(caller)) return caller
  const found = await hub.refs(named)
  if (isRefusal(found)) return found
  if (!found.isAll) {
    const missing = 'a hub token that may read every ref of the repository'
    const detail = `Pushing with git needs ${missing}. Use hf upload for some of the refs.`
    return refuse('permission_denied', detail, { missing })
  }
  const { repositoryUid: uid } = found
  if (named === undefined) throw new Error('a repository without a name was permitted')
  const refused = await refuseReadOnly(exchange, { repo: named, uid }, { caller, parts })
  if (refused !== undefined) return refused
  const repository = await parts.git.create(uid)
  const settled = await settledRepository(exchange, { uid, repository }, parts)
  return isRefusal(settled) ? settled : { repo: named, uid, repository }
}

/** Said at once: git would send all of its objects first. Ref by ref it is decided later. */
async function refuseReadOnly(
  { hub }: Exchange,
  { repo, uid }: Pick<PushPlace, 'repo' | 'uid'>,
  { caller, parts }: { readonly caller: CallerProfile; readonly parts: Pick<ForgeDeps, 'git'> },
): Promise<Refusal | undefined> {
  const refused = await hub.decide({ repo, revision: undefined, scope: 'write' })
  if (!isRefusal(refused) || refused.code !== 'permission_denied') return undefined
  const { kind } = caller.hubToken
  // It may name refs that are not there yet.
  if (kind === 'fine-grained') return undefined
  const missing = refused.missing ?? 'the right to write'
  const denied = refuse('permission_denied', `This push is refused: it needs ${missing}.`, {
    missing,
  })
  const repository = parts.git.openToRead(uid)
  if (kind !== 'write' || repository === undefined) return denied
  const refs = [...(await repository.refs()).keys()]
  const isProposal = (ref: RefName) => ref.startsWith('refs/pr/')
  const proposals = refs.filter(isProposal).slice(-maxLookedAt)
  const others = refs.filter((ref) => !isProposal(ref)).slice(0, maxLookedAt)
  for (const ref of [...others, ...proposals]) {
    const revision = { kind: 'ref', name: ref } as const
    const permitted = await hub.decide({ repo, revision, scope: 'write' })
    if (!isRefusal(permitted)) return undefined
  }
  return denied
}

/** Beyond it the caller writes none. */
const maxLookedAt = 50
