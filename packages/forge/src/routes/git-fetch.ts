/** `git clone` and `git fetch` over HTTP. */

import { isRefusal, type Refusal, type RepoRef, refuse } from '@latchkey/protocol'
import type { Repository } from '../git/index.ts'
import { gitBody } from '../http/bodies.ts'
import type { Exchange, ForgeParts, Handle } from '../http/exchange.ts'
import type { Reply } from '../http/reply.ts'
import { differs, settle } from '../moving/settle.ts'

interface Asked {
  readonly repo: RepoRef | undefined
}

/** What a client says it has and wants. */
const mostBytes = 64 * 1024 * 1024

export const advertiseRefs: Handle<Asked> = async (exchange, { repo }, parts) => {
  const repository = await openWhole(exchange, repo, parts)
  if (isRefusal(repository)) return repository
  return answer('advertisement', repository.advertiseRefs(requestOf(exchange)))
}

export const uploadPack: Handle<Asked> = async (exchange, { repo }, parts) => {
  const repository = await openWhole(exchange, repo, parts)
  if (isRefusal(repository)) return repository
  const body = gitBody(exchange.request, mostBytes)
  return answer('result', repository.uploadPack({ ...requestOf(exchange), body }))
}

/** Git serves every object by its hash, so it serves only callers who may read every ref. */
async function openWhole(
  { hub }: Exchange,
  repo: RepoRef | undefined,
  parts: ForgeParts,
): Promise<Repository | Refusal> {
  const found = await hub.refs(repo)
  if (isRefusal(found)) return found
  if (!found.isAll) {
    const missing = 'a hub token that may read every ref of the repository'
    const detail = `Git needs ${missing}. Use the API for some of the refs.`
    return refuse('permission_denied', detail, { missing })
  }
  const { repositoryUid: uid } = found
  const repository = parts.git.open(uid)
  if (repository === undefined) {
    return refuse('not_found', 'Nothing was committed to this repository here yet.')
  }
  const settling = { ...parts, hub: parts.port }
  // The hub's own commands may have moved or deleted refs.
  if (await differs(settling, uid, repository)) {
    await parts.inTurn(uid, () => settle(settling, uid))
  }
  return repository
}

function requestOf({ request, signal }: Exchange) {
  const { 'git-protocol': protocol } = request.headers
  return { protocol: typeof protocol === 'string' ? protocol : undefined, signal }
}

function answer(kind: 'advertisement' | 'result', parts: AsyncIterable<Uint8Array>): Reply {
  const headers = ['Content-Type', `application/x-git-upload-pack-${kind}`]
  return { headers, body: { length: undefined, parts, holdsGit: true } }
}
