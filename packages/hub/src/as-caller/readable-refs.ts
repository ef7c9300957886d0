import type { ReadableRefs } from '@latchkey/admin-api/forge-port'
import {
  type CommitHash,
  isRefusal,
  type NoCommit,
  type RefName,
  type Refusal,
  type RepoRef,
  type RepositoryUid,
} from '@latchkey/protocol'
import { yieldInLoop } from '@latchkey/service/limits/slices'
import type { Facts } from '../issue/authenticate.ts'
import { closedRepository, type WantedRevision } from '../permission/access-facts.ts'
import { decidePermission } from '../permission/decide-permission.ts'
import { isOwnRef } from '../permission/own-refs.ts'
import { carriedBy, carriesEveryRef } from '../permission/reach.ts'
import type { Reading } from '../tables/directory.ts'
import type { Asker } from './asker.ts'
import type { AsCallerDeps } from './deps.ts'

interface Ref {
  readonly name: RefName
  readonly commit: CommitHash | NoCommit
}

export async function readableRefs(
  repo: RepoRef | undefined,
  asker: Asker,
  parts: AsCallerDeps,
): Promise<ReadableRefs | Refusal> {
  const revision = { kind: 'default' } as const
  const { result, caller } = await asker.check({ repo, revision, scope: 'read' })
  if (repo === undefined) return isRefusal(result) ? result : never()
  if (!isRefusal(result)) {
    const { repositoryUid, caller } = result.permit.permitted
    const refs = await parts.readBeside((tables) => refsIn(tables, repositoryUid))
    if (carriesEveryRef(carriedBy(caller, repo), 'read')) {
      return { repositoryUid, refs: asMap(refs), isAll: true }
    }
  }
  // The default branch may be gone, or closed to a hub token that reads other refs.
  if (caller === undefined || caller.kind === 'anonymous')
    return isRefusal(result) ? result : never()
  const facts = await asker.current({ repo, revision })
  if (isRefusal(facts)) return facts
  const found = await readableOnes(repo, facts, parts)
  return found.refs.size === 0 && isRefusal(result) ? result : found
}

/** Whether the caller may read one ref at least; mostly that is the default branch. */
export async function readsAny(repo: RepoRef, asker: Asker, parts: AsCallerDeps): Promise<boolean> {
  const revision = { kind: 'default' } as const
  const { result } = await asker.check({ repo, revision, scope: 'read' })
  return !isRefusal(result) || !isRefusal(await readableRefs(repo, asker, parts))
}

/** Decisions before other requests are served. */
const decisionsAtOnce = 100

/** One decision for each ref: a tag may be read through any branch that holds it. */
async function readableOnes(
  repo: RepoRef,
  { caller, asOf, repository = closedRepository }: Facts,
  { readBeside, work: { findRepository }, issuing: { policy } }: AsCallerDeps,
): Promise<ReadableRefs> {
  const { uid } = repository
  const refs: Ref[] = []
  const all = await readBeside((tables) => refsIn(tables, uid))
  for (const [at, ref] of all.entries()) {
    await yieldInLoop(at, decisionsAtOnce)
    const revision: WantedRevision = { kind: 'ref', name: ref.name }
    const facts = await findRepository(caller.accountId, repo, revision)
    const request = { caller, repo, asOf, repository: facts, scope: 'read', revision } as const
    if (!isRefusal(decidePermission(request, policy))) refs.push(ref)
  }
  const isAll = refs.length === all.length && carriesEveryRef(carriedBy(caller, repo), 'read')
  return { repositoryUid: uid, refs: asMap(refs), isAll }
}

export async function refsIn(tables: Reading, uid: RepositoryUid, only?: RefName): Promise<Ref[]> {
  const all = tables
    .selectFrom('refs')
    .select(['name', 'commit_hash'])
    .where('repository_uid', '=', uid)
    .orderBy('name')
  const rows = await (only === undefined ? all : all.where('name', '=', only)).execute()
  return rows
    .filter(({ name }) => !isOwnRef(name))
    .map((row) => ({ name: row.name as RefName, commit: row.commit_hash as CommitHash }))
}

function asMap(refs: readonly Ref[]): ReadableRefs['refs'] {
  return new Map(refs.map(({ name, commit }) => [name, commit]))
}

function never(): never {
  throw new Error('a repository that cannot exist was permitted')
}
