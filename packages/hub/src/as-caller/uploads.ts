/** Where callers upload what they will propose, and tokens to read it. */

import type {
  IssuedStorageToken,
  PermittedRevision,
  RevisionTarget,
} from '@latchkey/admin-api/forge-port'
import {
  isRefusal,
  proposalUid,
  type RefName,
  type RefUid,
  type Refusal,
  type RepoRef,
} from '@latchkey/protocol'
import { newId } from '@latchkey/service/machine/random'
import { decideUploads } from '../issue/decide-uploads.ts'
import { anyPullRequest, uploadRefs } from '../permission/own-refs.ts'
import type { Asker } from './asker.ts'
import { runAs } from './changes.ts'
import { decideRef } from './decide-ref.ts'
import type { AsCallerDeps } from './deps.ts'
import { asTarget, permittedIn } from './questions.ts'
import { issueFor } from './storage-token.ts'

/** Changes nothing if the caller has a ref for this period already. */
export async function openUpload(
  target: RevisionTarget,
  asker: Asker,
  parts: AsCallerDeps,
): Promise<PermittedRevision | Refusal> {
  const base = await asker.decideCurrently({ ...asTarget(target), scope: 'read' })
  if (isRefusal(base)) return base
  const { repo, caller, repositoryUid } = base.permitted
  const [ref] = uploadRefs(caller.accountId, parts.clock())
  const proposing = await mayPropose(repo, asker, parts)
  if (isRefusal(proposing)) return proposing
  const isThere = await parts.readBeside((tables) =>
    tables
      .selectFrom('refs')
      .select('uid')
      .where('repository_uid', '=', repositoryUid)
      .where('name', '=', ref)
      .executeTakeFirst(),
  )
  const { isReader } = proposing
  const uid = newId<RefUid>(parts.work.randomBytes)
  const newRefUid = isReader ? proposalUid(repositoryUid, uid) : uid
  const refused =
    isThere === undefined ? await makeUploadRef({ repo, ref, newRefUid }, asker, parts) : undefined
  return refused ?? { ...permittedIn(base.permitted), isReader }
}

interface UploadRef {
  readonly repo: RepoRef
  readonly ref: RefName
  readonly newRefUid: RefUid
}

async function makeUploadRef(
  { repo: repository, ref, newRefUid }: UploadRef,
  asker: Asker,
  parts: AsCallerDeps,
): Promise<Refusal | undefined> {
  const made = await runAs(asker, parts, {
    words: 'ref set',
    input: { repository, ref },
    newRefUid,
    async actor() {
      const decided = await mayPropose(repository, asker, parts)
      return isRefusal(decided) ? decided : decided.permit.permitted.caller
    },
  })
  return isRefusal(made) ? made : undefined
}

/** No pull request has this name, so its place is only judged. */
async function mayPropose(repo: RepoRef, asker: Asker, parts: AsCallerDeps) {
  const newUid = () => 'none' as RefUid
  return decideRef({ repo, ref: anyPullRequest, asProposer: true, newUid }, asker, parts)
}

export async function uploadTokens(
  repo: RepoRef,
  asker: Asker,
  parts: AsCallerDeps,
): Promise<readonly IssuedStorageToken[]> {
  const facts = await asker.current({ repo, revision: { kind: 'default' } })
  if (isRefusal(facts)) return []
  const { clock, work, issuing } = parts
  const uploading = { findRepository: work.findRepository, policy: issuing.policy, now: clock() }
  const tokens: IssuedStorageToken[] = []
  for (const permit of await decideUploads(facts, repo, uploading)) {
    const token = await issueFor({ permit, learned: facts.learned }, asker, parts)
    if (!isRefusal(token)) tokens.push(token)
  }
  return tokens
}
