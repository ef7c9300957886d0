import type {
  CallerDecision,
  CallerProfile,
  CallerQuestions,
  CallerRef,
  PermittedRevision,
  RefDependents,
  RepositoryDescription,
  ReservedRef,
  RevisionTarget,
} from '@latchkey/admin-api/forge-port'
import {
  isRefusal,
  parseRepoRef,
  proposalUid,
  type RefUid,
  type Refusal,
  refuse,
  shortRefName,
  type UnixSeconds,
} from '@latchkey/protocol'
import { newId } from '@latchkey/service/machine/random'
import type { Caller } from '../identity/caller.ts'
import { invalidHubToken } from '../identity/identify-caller.ts'
import type { About } from '../issue/authenticate.ts'
import type { GrantedRequest, TokenTarget } from '../issue/issue-token.ts'
import type { RepositoryFacts } from '../permission/access-facts.ts'
import { carriedBy, carriesEveryRef } from '../permission/reach.ts'
import type { Reading } from '../tables/directory.ts'
import { findDependents } from '../verbs/dependents.ts'
import { namespacesOf } from '../verbs/held-roles.ts'
import { findWhoami } from '../verbs/hub-token-view.ts'
import { findRepositoryByUid } from '../verbs/repository-rows.ts'
import type { Asker } from './asker.ts'
import { decideRef, decideRevision, isReader, revisionWithHead } from './decide-ref.ts'
import type { AsCallerDeps } from './deps.ts'
import { readableRefs, readsAny } from './readable-refs.ts'
import { readableRepositories } from './readable-repositories.ts'
import { issueFor, revisionOf, storageToken } from './storage-token.ts'

type Answers = Omit<
  CallerQuestions,
  | ('createRepository' | 'deleteRepository' | 'moveRef' | 'deleteRef')
  | ('openUpload' | 'uploadTokens' | 'payer')
>

/** For a request that names no repository. */
const nothing: About = { repo: undefined, revision: { kind: 'default' } }

export function answerAs(asker: Asker, parts: AsCallerDeps): Answers {
  const { readBeside } = parts
  return {
    async admit() {
      const facts = await asker.admit(nothing)
      return isRefusal(facts) ? facts : undefined
    },
    async visitor() {
      const facts = await asker.current(nothing)
      return isRefusal(facts) ? undefined : facts.caller.accountName
    },
    async whoami() {
      const facts = await asker.current(nothing)
      if (isRefusal(facts)) return facts
      return readBeside(async (tables) => callerOf(tables, facts.caller, parts.clock()))
    },
    async decide(target) {
      const granted = await decideRevision(target, asker, parts)
      if (isRefusal(granted)) return granted
      const { isReader } = granted
      const decision = decisionOf(target, granted, asker, parts)
      return isReader === undefined ? decision : { ...decision, isReader }
    },
    async describe(uid) {
      const row = await readBeside((tables) => findRepositoryByUid(tables, uid))
      const repo = row && parseRepoRef(row.path)
      if (repo === undefined || !(await readsAny(repo, asker, parts))) return undefined
      return (
        row && {
          visibility: row.visibility as RepositoryDescription['visibility'],
          defaultBranch: row.default_branch as RepositoryDescription['defaultBranch'],
          createdAt: new Date(row.created_at * 1000).toISOString(),
        }
      )
    },
    storageToken: (target) => storageToken(target, asker, parts),
    newRef: (ref) => reserveRef(ref, asker, parts),
    dependents: (ref) => dependentsOf(ref, asker, parts),
    async mayForce(ref) {
      const decided = await decideRef(ref, asker, parts)
      return isRefusal(decided) ? decided : decided.mayForce
    },
    refs: (repo) => readableRefs(repo, asker, parts),
    repositories: (listing) => readableRepositories(listing, asker, parts),
  }
}

function decisionOf(
  { scope }: RevisionTarget,
  granted: Pick<GrantedRequest, 'permit' | 'learned'>,
  asker: Asker,
  parts: AsCallerDeps,
): CallerDecision {
  const { permitted } = granted.permit
  const { repo, ref } = permitted
  return {
    ...permittedIn(permitted),
    async storageToken() {
      if (parts.issuing.isFresh(granted.learned)) return issueFor(granted, asker, parts)
      return storageToken({ repo, revision: revisionOf(ref.name), scope }, asker, parts)
    },
  }
}

export function asTarget({ repo, revision, scope }: RevisionTarget): TokenTarget {
  return { repo, scope, revision: revisionWithHead(revision) }
}

export function permittedIn({
  repo,
  repositoryUid,
  ref,
  commit,
  caller,
}: Omit<PermittedRevision, 'account' | 'accountId' | 'readsEveryRef'> & {
  readonly caller: Caller
}): PermittedRevision {
  const { accountName: account, accountId } = caller
  const readsEveryRef = carriesEveryRef(carriedBy(caller, repo), 'read')
  return { repo, repositoryUid, ref, commit, account, accountId, readsEveryRef }
}

async function callerOf(
  tables: Reading,
  caller: Caller,
  now: UnixSeconds,
): Promise<CallerProfile | Refusal> {
  const found = await findWhoami(tables, caller.hubTokenId)
  if (found === undefined) return invalidHubToken()
  const { name, kind, origin, createdAt } = found.hubToken
  const namespaces = await namespacesOf(tables, { accountId: caller.accountId, now }, maxNamespaces)
  return {
    id: caller.accountId,
    name: found.account.name,
    kind: found.account.kind,
    hubToken: { name, kind, origin, createdAt: String(createdAt) },
    namespaces,
  }
}

const maxNamespaces = 1000

/** Refs and commits that may lose content when a ref is deleted, for a caller who may delete it. */
async function dependentsOf(
  callerRef: CallerRef,
  asker: Asker,
  parts: AsCallerDeps,
): Promise<RefDependents | Refusal> {
  const decided = await decideRef(callerRef, asker, parts)
  if (isRefusal(decided)) return decided
  const { repositoryUid, commit, ref } = decided.permit.permitted
  const { uid: refUid } = ref
  const { commits, refs } = await parts.readBeside((tables) =>
    findDependents(tables, repositoryUid, [{ uid: refUid, name: callerRef.ref }]),
  )
  return { repositoryUid, refUid, commit, commits, refs }
}

/** A uid for a ref that is about to be made: its content must be stored before the directory has it. */
async function reserveRef(
  callerRef: CallerRef,
  asker: Asker,
  parts: AsCallerDeps,
): Promise<ReservedRef | Refusal> {
  const uid = newId<RefUid>(parts.work.randomBytes)
  const newUid = (repository: RepositoryFacts) =>
    callerRef.asProposer && isReader(repository) ? proposalUid(repository.uid, uid) : uid
  const decided = await decideRef({ ...callerRef, newUid }, asker, parts)
  if (isRefusal(decided)) return decided
  if (decided.isThere) {
    return refuse('conflict', `${shortRefName(callerRef.ref)} exists already. Choose another name.`)
  }
  const token = await issueFor(decided, asker, parts)
  if (isRefusal(token)) return token
  const { repositoryUid, caller, ref } = decided.permit.permitted
  const { accountName: account, accountId } = caller
  return { refUid: ref.uid, token, repositoryUid, account, accountId }
}
