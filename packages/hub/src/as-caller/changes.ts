import { type Verb, type VerbTable, verbs, type Words } from '@latchkey/admin-api'
import type {
  CallerQuestions,
  CreatedRepository,
  NewRepository,
  RefDeletion,
  RefMove,
} from '@latchkey/admin-api/forge-port'
import {
  formatRepoRef,
  isRefusal,
  type NoCommit,
  noCommit,
  parseRefName,
  type RefName,
  type RefUid,
  type Refusal,
  type RepoRef,
  type RepositoryUid,
  refuse,
  shortRefName,
} from '@latchkey/protocol'
import type { z } from 'zod'
import { recording } from '../forge/forge-operations.ts'
import type { Caller } from '../identity/caller.ts'
import { actorOf, endOf } from '../operations/admin-call.ts'
import { refuseCreation, refuseDeletion } from '../permission/decide-management.ts'
import { runVerb } from '../run-verb/run-verb.ts'
import type { VerbDeps } from '../run-verb/verb-deps.ts'
import type { Origin } from '../tables/change.ts'
import type { Reading } from '../tables/directory.ts'
import { findDependents } from '../verbs/dependents.ts'
import { findRefRow } from '../verbs/ref-rows.ts'
import { findRepositoryRow } from '../verbs/repository-rows.ts'
import type { Asker } from './asker.ts'
import {
  makeOwnNamespace,
  refuseManyRefs,
  refuseManyRepositories,
  roleIn,
} from './creation-rules.ts'
import { decideRef } from './decide-ref.ts'
import type { AsCallerDeps } from './deps.ts'

type Changes = Pick<
  CallerQuestions,
  'createRepository' | 'deleteRepository' | 'moveRef' | 'deleteRef'
>

/** In the journal, for deletions that no caller asked for. */
export const unaskedOrigin: Origin = { verb: 'ref delete', user: 'forge' }

export function changeAs(asker: Asker, parts: AsCallerDeps): Changes {
  return {
    createRepository: (repository) => create(repository, asker, parts),
    deleteRepository: (repo) => remove(repo, asker, parts),
    moveRef: (move) => moveRef(move, asker, parts),
    deleteRef: (deletion) => deleteRef(deletion, asker, parts),
  }
}

async function create(
  { repo, visibility }: NewRepository,
  asker: Asker,
  parts: AsCallerDeps,
): Promise<CreatedRepository | Refusal> {
  let account = ''
  const answerOf = (output: unknown): CreatedRepository => {
    const { uid } = output as Output<'repo create'>
    return { uid: uid as RepositoryUid, defaultBranch: refName('refs/heads/main'), account }
  }
  const made = await runAs(asker, parts, {
    words: 'repo create',
    answerOf,
    async first(work) {
      const { ownNamespaces, repositoriesPerNamespace: most } = parts.rules
      const refused = ownNamespaces ? await makeOwnNamespace(work, repo.namespace) : undefined
      return refused ?? refuseManyRepositories(work.tables, repo.namespace, most)
    },
    input: { repository: repo, visibility, defaultBranch: refName('refs/heads/main') },
    async actor() {
      const facts = await asker.current({ repo, revision: { kind: 'default' } })
      if (isRefusal(facts)) return facts
      const { caller } = facts
      account = caller.accountName
      const { readBeside, rules, clock } = parts
      const now = clock()
      const role = await readBeside((tables) =>
        roleIn(tables, repo.namespace, { ...caller, now }, rules),
      )
      return refuseCreation({ caller, repo, role }) ?? caller
    },
  })
  return isRefusal(made) ? made : answerOf(made)
}

async function remove(
  repo: RepoRef | undefined,
  asker: Asker,
  parts: AsCallerDeps,
): Promise<{ readonly uid: RepositoryUid } | Refusal> {
  const target = { repo, revision: { kind: 'default' }, scope: 'read' } as const
  const first = await asker.decideCurrently(target)
  if (isRefusal(first)) return first
  const { repo: repository } = first.permitted
  let { repositoryUid: uid } = first.permitted
  const removed = await runAs(asker, parts, {
    words: 'repo delete',
    answerOf: () => ({ uid }),
    input: { repository },
    async actor() {
      const decision = await asker.decideCurrently(target)
      if (isRefusal(decision)) return decision
      const { caller } = decision.permitted
      uid = decision.permitted.repositoryUid
      const { findRepository } = parts.work
      const facts = await findRepository(caller.accountId, repository, target.revision)
      return refuseDeletion(decision, facts?.role) ?? caller
    },
  })
  return isRefusal(removed) ? removed : { uid }
}

async function moveRef(
  { repo, ref, from, to, refUid, isNew = false, isForced = false, asProposer = false }: RefMove,
  asker: Asker,
  parts: AsCallerDeps,
): Promise<Refusal | undefined> {
  const newUid = isNew ? refUid : undefined
  const moved = await runAs(asker, parts, {
    words: 'ref set',
    async first({ tables }) {
      const { refsPerRepository: most } = parts.rules
      const isAdded = from === noCommit && !(await isRefThere(tables, repo, ref))
      return isAdded ? refuseManyRefs(tables, repo, most) : undefined
    },
    input: { repository: repo, ref, expect: from, commit: isNone(to) ? undefined : to },
    newRefUid: newUid,
    isProposed: isNew && asProposer,
    async actor() {
      const uidOfNew = newUid && (() => newUid)
      const decided = await decideRef({ repo, ref, newUid: uidOfNew, asProposer }, asker, parts)
      if (isRefusal(decided)) return decided
      const { permitted } = decided.permit
      if (isNew && decided.isThere) return madeMeanwhile(ref)
      if (isForced && !decided.mayForce) return mayNotForce(ref)
      const isOther = refUid !== undefined && permitted.ref.uid !== refUid
      return isOther ? madeAnew(ref) : permitted.caller
    },
  })
  return isRefusal(moved) ? moved : undefined
}

async function deleteRef(
  { repo, ref, from, refUid, saved, isForced = false }: RefDeletion,
  asker: Asker,
  parts: AsCallerDeps,
): Promise<Refusal | undefined> {
  const deleted = await runAs(asker, parts, {
    words: 'ref delete',
    // Nothing is lost: what the ref has is saved.
    input: { repository: repo, ref, loseContent: true },
    async first({ tables }) {
      const owner = await findRepositoryRow(tables, repo)
      const left = owner && (await findDependents(tables, owner.uid, [{ uid: refUid, name: ref }]))
      return left === undefined || isSaved(left, saved) ? undefined : madeAnew(ref)
    },
    async actor() {
      const decided = await decideRef({ repo, ref }, asker, parts)
      if (isRefusal(decided)) return decided
      if (isForced && !decided.mayForce) return mayNotForce(ref)
      const { permitted } = decided.permit
      // What the ref has now was not looked at before.
      if (permitted.ref.uid !== refUid || permitted.commit !== from) return madeAnew(ref)
      const { accountId } = permitted.caller
      const facts = await parts.work.findRepository(accountId, repo, { kind: 'default' })
      return facts?.defaultBranch === ref ? isDefaultBranch(ref) : permitted.caller
    },
  })
  return isRefusal(deleted) ? deleted : undefined
}

/** The hub's own commands may have made or moved refs since. */
function isSaved(left: RefDeletion['saved'], saved: RefDeletion['saved']): boolean {
  const savedLines = new Set(linesOf(saved))
  return linesOf(left).every((line) => savedLines.has(line))
}

function linesOf({ commits, refs }: RefDeletion['saved']): readonly string[] {
  return [
    ...commits.map(({ hash, isHeldElsewhere }) => `${hash} ${isHeldElsewhere}`),
    ...refs.map(({ name, commit }) => `${name} ${commit}`),
  ]
}

function isNone(commit: RefMove['to']): commit is NoCommit {
  return commit === noCommit
}

/** Content was stored for the ref that was there before. */
function madeAnew(ref: RefName): Refusal {
  return refuse('conflict', `${shortRefName(ref)} was changed by another request. Try again.`)
}

function madeMeanwhile(ref: RefName): Refusal {
  return refuse('conflict', `${shortRefName(ref)} exists already. Choose another name.`)
}

function mayNotForce(ref: RefName): Refusal {
  const missing = 'a ref rule that allows force'
  const detail = `${shortRefName(ref)} keeps its history: to leave it needs ${missing}.`
  return refuse('permission_denied', detail, { missing })
}

function isDefaultBranch(ref: RefName): Refusal {
  const detail = `${shortRefName(ref)} is the default branch, which cannot be deleted.`
  return refuse('bad_request', detail)
}

type Output<Called extends Words> = z.output<VerbTable[Called]['output']>

interface Run<Called extends Words> {
  readonly words: Called
  readonly input: z.output<VerbTable[Called]['input']> & { readonly repository: RepoRef }
  /** Asked in the transaction: what the caller has lost while a body arrived is lost. */
  readonly actor: () => Promise<Caller | Refusal>
  readonly newRefUid?: RefUid | undefined
  readonly isProposed?: boolean
  /** The response, as it is kept with the id of the change. */
  readonly answerOf?: (output: unknown) => unknown
  /** Done in the transaction before the verb. */
  readonly first?: VerbDeps['first']
}

export async function runAs<Called extends Words>(
  { requestId, operation, clientAddress }: Asker,
  { work, clock, log }: AsCallerDeps,
  { words, input, actor, newRefUid, isProposed, first, answerOf = () => undefined }: Run<Called>,
): Promise<unknown> {
  let acting: Caller | undefined
  const identify = async () => {
    const found = await actor()
    acting = isRefusal(found) ? undefined : found
    return found
  }
  const directory =
    operation === undefined
      ? work.directory
      : recording(work.directory, operation, { clock, answerOf })
  const changed = await runVerb(verbCalled(words), input as z.output<Verb['input']>, {
    ...{ ...work, directory, now: clock(), actor: identify, requestId, newRefUid, isProposed },
    ...(first && { first }),
  })
  log('forge_changed', {
    verb: words,
    ...(acting && actorOf(acting)),
    repository: formatRepoRef(input.repository),
    ...('ref' in input ? { ref: String(input.ref) } : {}),
    ...endOf(changed),
    address: clientAddress(),
    requestId,
  })
  return changed
}

function verbCalled(words: Words): Verb {
  const verb = verbs.find((row) => row.words === words)
  if (verb === undefined) throw new Error(`there is no verb "${words}"`)
  return verb
}

async function isRefThere(tables: Reading, repo: RepoRef, ref: RefName): Promise<boolean> {
  const owner = await findRepositoryRow(tables, repo)
  return owner !== undefined && (await findRefRow(tables, owner.uid, ref)) !== undefined
}

function refName(text: string) {
  const name = parseRefName(text)
  if (name === undefined) throw new Error(`no ref can be called ${text}`)
  return name
}
