import type { CreatedRepository } from '@latchkey/admin-api/forge-port'
import {
  isRefusal,
  noCommit,
  problemOf,
  type Refusal,
  type RepoRef,
  type RepoType,
  refuse,
  repoRef,
  repoTypes,
} from '@latchkey/protocol'
import { authorOf } from '../commits/author.ts'
import { moveRef } from '../commits/move-ref.ts'
import { parseTreePath } from '../git/index.ts'
import type { Exchange, ForgeDeps, ForgeHandler } from '../handler/exchange.ts'
import { jsonMembers } from '../http/bodies.ts'
import { type ForgeReply, json } from '../http/reply.ts'
import { firstAttributes } from '../large-files/first-attributes.ts'
import { isAbsent, type Members } from '../words/members.ts'
import { pageUrl } from './addresses-of.ts'
import { inSlot, turnOf } from './change-in-turn.ts'

/** With a first commit, so that the default branch exists. */
export const createRepo: ForgeHandler<unknown> = async (exchange, _address, parts) => {
  const { hub, requestId } = exchange
  // A stranger must not make us read a body.
  const caller = await hub.whoami()
  if (isRefusal(caller)) return caller
  const members = await jsonMembers(exchange)
  if (isRefusal(members)) return members
  const repo = namedInBody(members, caller.name)
  if (isRefusal(repo)) return repo
  const visibility = visibilityOf(members)
  if (isRefusal(visibility)) return visibility
  const url = pageUrl(parts.publicUrl, repo)
  return inSlot(exchange, parts, async () => {
    // Before the directory has it: a repository without git would be half of one.
    await parts.reserve.check()
    const made = await hub.createRepository({ repo, visibility })
    if (isRefusal(made)) {
      return made.code === 'conflict' ? nameTaken(made, requestId, url) : made
    }
    const refused = await firstCommit(exchange, { repo, made }, parts)
    return refused ?? json({ url, name: `${repo.namespace}/${repo.name}`, id: made.uid })
  })
}

/** Private unless the client says otherwise. */
function visibilityOf({ visibility, private: isPrivate }: Members): 'public' | 'private' | Refusal {
  if (visibility === 'public' || visibility === 'private') return visibility
  if (!isAbsent(visibility)) {
    return refuse('bad_request', 'visibility must be "public" or "private".')
  }
  return isPrivate === false ? 'public' : 'private'
}

/** A client that takes a repository which is there for its own reads the address. */
function nameTaken(refusal: Refusal, requestId: string, url: string): ForgeReply {
  const headers = ['X-Error-Message', 'You already created this repo']
  return json({ ...problemOf(refusal, requestId), url }, { status: 409, headers })
}

interface New {
  readonly repo: RepoRef
  readonly made: CreatedRepository
}

/** If this fails, the repository is there and empty, and the first commit of a client fills it. */
function firstCommit(
  { hub }: Exchange,
  { repo, made: { uid, defaultBranch: ref, account } }: New,
  parts: ForgeDeps,
): Promise<Refusal | undefined> {
  // The client may leave: the directory has the repository already.
  return parts.inTurn({ uid, account: hub.payer() }, async () => {
    const repository = await parts.git.create(uid)
    const path = parseTreePath('.gitattributes')
    if (path === undefined) throw new Error('.gitattributes is a path')
    const hash = await repository.writeBlob(Buffer.from(firstAttributes))
    const changed = await repository.changeTree(undefined, [
      { kind: 'add', path, hash, mode: '100644' },
    ])
    if (!changed.ok) throw new Error('the first file could not be added')
    const author = authorOf(account, parts.publicUrl)
    const to = await repository.writeCommit({
      ...{ tree: changed.tree, parents: [], author, committer: author },
      ...{ message: 'initial commit', at: parts.clock() },
    })
    const settling = { ...parts, hub: parts.port }
    return moveRef(settling, { uid, repository, hub, repo, ref, from: noCommit, to })
  })
}

export const deleteRepo: ForgeHandler<unknown> = async (exchange, _address, parts) => {
  const { hub } = exchange
  const caller = await hub.whoami()
  if (isRefusal(caller)) return caller
  const members = await jsonMembers(exchange)
  if (isRefusal(members)) return members
  const repo = namedInBody(members, caller.name)
  if (isRefusal(repo)) return repo
  const found = await hub.decide({ repo, revision: undefined, scope: 'read' })
  if (isRefusal(found)) return found
  const { repositoryUid: uid } = found
  const deletion = async () => {
    await parts.markers.set(uid)
    const deleted = await hub.deleteRepository(repo)
    if (!isRefusal(deleted)) await parts.git.remove(deleted.uid)
    await parts.markers.clear(uid)
    if (isRefusal(deleted)) return deleted
    return json({})
  }
  return inSlot(exchange, parts, () => parts.inTurn(turnOf(exchange, uid), deletion))
}

/** Without a namespace it is the caller's own. */
function namedInBody(members: Members, own: string): RepoRef | Refusal {
  const { name: fullName, organization, type: word } = members
  const type = isAbsent(word) ? 'model' : repoTypes.find((one) => one === word)
  if (type === undefined) return wrong('type must be "model", "dataset" or "space".')
  if (typeof fullName !== 'string') return wrong('name must be a text.')
  if (!isAbsent(organization) && typeof organization !== 'string') {
    return wrong('organization must be a text.')
  }
  return named(type, fullName, organization ?? undefined, own)
}

function named(
  type: RepoType,
  fullName: string,
  organization: string | undefined,
  own: string,
): RepoRef | Refusal {
  const [namespace, name] = fullName.includes('/')
    ? [fullName.slice(0, fullName.indexOf('/')), fullName.slice(fullName.indexOf('/') + 1)]
    : [organization ?? own, fullName]
  const repo = repoRef(type, namespace, name)
  const letters = 'letters, digits, ".", "_" and "-", and neither begin nor end with "." or "-"'
  return repo ?? wrong(`Namespace and name must have 1 to 96 ${letters}.`)
}

function wrong(detail: string): Refusal {
  return refuse('bad_request', detail)
}
