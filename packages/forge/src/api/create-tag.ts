import { isRefusal, refuse, tagName } from '@latchkey/protocol'
import type { RevisionAddress } from '../addresses/find-route.ts'
import { authorOf } from '../commits/author.ts'
import { makeRef } from '../commits/make-ref.ts'
import type { Repository } from '../git/index.ts'
import type { ForgeHandler } from '../handler/exchange.ts'
import { jsonMembers } from '../http/bodies.ts'
import { json } from '../http/reply.ts'
import { isAbsent } from '../words/members.ts'
import { inSlot, turnOf } from './change-in-turn.ts'
import { startAt } from './create-branch.ts'

const maxMessageLength = 65_536
/** The body of a message in which each character takes four bytes. */
const maxBytes = 5 * maxMessageLength

export const createTag: ForgeHandler<RevisionAddress> = async (
  exchange,
  { repo: named, revision },
  parts,
) => {
  const { hub, signal } = exchange
  const permitted = await hub.decide({ repo: named, revision, scope: 'read' })
  if (isRefusal(permitted)) return permitted
  const caller = await hub.whoami()
  if (isRefusal(caller)) return caller
  const members = await jsonMembers(exchange, maxBytes)
  if (isRefusal(members)) return members
  const { tag, message } = members
  const ref = typeof tag === 'string' ? tagName(tag) : undefined
  if (ref === undefined) return refuse('bad_request', 'No tag can have this name.')
  const text = isAbsent(message) ? '' : message
  if (typeof text !== 'string' || text.length > maxMessageLength || !text.isWellFormed()) {
    const detail = `message must be a text of at most ${maxMessageLength} characters.`
    return refuse('bad_request', detail)
  }
  const { repo, repositoryUid: uid } = permitted
  const reserved = await hub.newRef({ repo, ref })
  if (isRefusal(reserved)) return reserved
  const start = await startAt(exchange, repo, revision)
  if (isRefusal(start)) return start
  if (start === undefined) return refuse('bad_request', 'The revision has no commit to be tagged.')
  const { commit, through } = start
  const makeTag = async (repository: Repository) => {
    const isHere = (await repository.treeOf(commit)) !== undefined
    if (!isHere) return refuse('conflict', `The repository does not have the commit ${commit}.`)
    const tagger = authorOf(reserved.account, parts.publicUrl)
    const object =
      text.trim() === ''
        ? undefined
        : await repository.writeTag({ commit, ref, tagger, message: text, at: parts.clock() })
    const request = { hub, repo, ref, reserved, repository, commit, through, signal }
    return makeRef(parts, { ...request, tag: object })
  }
  const refused = await inSlot(exchange, parts, async () => {
    await parts.reserve.check()
    const repository = await parts.git.create(uid)
    return parts.inTurn(turnOf(exchange, uid), () => makeTag(repository))
  })
  return refused ?? json({})
}
