import {
  isRefusal,
  type Refusal,
  type RepoRef,
  type RepositoryUid,
  refuse,
} from '@latchkey/protocol'
import { atPace, usualPace } from '@latchkey/service/http/bodies'
import type { RepoAddress } from '../addresses/find-route.ts'
import { differs, type Settling, settle } from '../commits/settle.ts'
import {
  type CommandFault,
  checkCommand,
  checkWants,
  GitFailed,
  type PackBody,
  type Repository,
  versionOf,
} from '../git/index.ts'
import type { Exchange, ForgeDeps, ForgeHandler } from '../handler/exchange.ts'
import { BodyUnreadable, gitBody } from '../http/bodies.ts'
import type { ForgeReply } from '../http/reply.ts'
import { turnOf } from './change-in-turn.ts'
import { offeredTo, targetsOf } from './offered-to.ts'

/** Bytes of a client's lists of the objects that it has and wants. */
const maxBytes = 64 * 1024 * 1024
const wantsPace = { ...usualPace, maxMs: 600_000 }

export const advertiseRefs: ForgeHandler<RepoAddress> = async (exchange, { repo }, parts) => {
  const repository = await openWhole(exchange, repo, parts)
  if (isRefusal(repository)) return repository
  return answer('advertisement', repository.advertiseRefs(requestOf(exchange)))
}

export const uploadPack: ForgeHandler<RepoAddress> = async (exchange, { repo }, parts) => {
  const repository = await openWhole(exchange, repo, parts)
  if (isRefusal(repository)) return repository
  const request = requestOf(exchange)
  const sent = atPace(gitBody(exchange.request, maxBytes), wantsPace)
  const { fault, body: checked } =
    versionOf(request) === 2 ? await checkCommand(sent) : { fault: undefined, body: sent }
  if (fault !== undefined) return refuse('bad_request', `${faults[fault]}. ${servedCommands}`)
  const body = checkWants(
    checked,
    offeredTo(exchange, repo, () => targetsOf(repository)),
  )
  return answer('result', tellComplaint(repository.uploadPack({ ...request, body })))
}

/** About the request, and not about the repository. */
const complaint =
  /^fatal: (?:git upload-pack: )?((?:unexpected line|unknown capability|mismatched object format|protocol error|invalid shallow|invalid deepen|ambiguous deepen|deepen and|expected SHA1|filter|the remote end hung up))/im

/** Throws `BodyUnreadable` where git does not take a line of the request. */
async function* tellComplaint(parts: PackBody): PackBody {
  try {
    yield* parts
  } catch (error) {
    const [, gitMessage] = (error instanceof GitFailed && complaint.exec(error.stderr)) || []
    if (gitMessage === undefined) throw error
    // Git repeats the line, which may hold anything: a secret, too.
    throw new BodyUnreadable(`Git refuses the request (${gitMessage}). Use a usual git client.`)
  }
}

const servedCommands = 'With protocol 2 this hub serves the commands ls-refs and fetch.'
const faults: Readonly<Record<CommandFault, string>> = {
  unserved: 'This command is not served',
  missing: 'This request has no command',
  'too-long': 'This request has more than 64 capabilities, or more than 64 KiB of them',
}

/** A pack holds whatever refs lead to, so it is for callers who may read every ref. */
async function openWhole(
  exchange: Exchange,
  repo: RepoRef | undefined,
  parts: ForgeDeps,
): Promise<Repository | Refusal> {
  const { hub } = exchange
  const found = await hub.refs(repo)
  if (isRefusal(found)) return found
  if (!found.isAll) {
    const missing = 'a hub token that may read every ref of the repository'
    const detail = `Git needs ${missing}. Use the API for some of the refs.`
    return refuse('permission_denied', detail, { missing })
  }
  const { repositoryUid: uid } = found
  const repository = parts.git.openToRead(uid)
  if (repository === undefined) {
    return refuse('not_found', 'This repository has no commit here yet.')
  }
  return settledRepository(exchange, { uid, repository }, parts)
}

/** The hub's own commands may have moved or deleted refs. */
export async function settledRepository(
  exchange: Exchange,
  { uid, repository }: { readonly uid: RepositoryUid; readonly repository: Repository },
  parts: ForgeDeps,
): Promise<Repository | Refusal> {
  const settling = { ...parts, hub: parts.port }
  if (await differs(settling, uid, repository)) {
    const turn = turnOf(exchange, uid)
    const refused = await parts.inTurn(turn, () => settleOnce(settling, uid, repository))
    if (refused !== undefined) return refused
  }
  return repository
}

/** A request before this one may have settled the repository while this one waited. */
async function settleOnce(
  settling: Settling,
  uid: RepositoryUid,
  repository: Repository,
): Promise<void> {
  if (await differs(settling, uid, repository)) await settle(settling, uid)
}

function requestOf({ request, signal }: Exchange) {
  const { 'git-protocol': protocol } = request.headers
  return { protocol: typeof protocol === 'string' ? protocol : undefined, signal }
}

function answer(kind: 'advertisement' | 'result', parts: AsyncIterable<Uint8Array>): ForgeReply {
  const headers = ['Content-Type', `application/x-git-upload-pack-${kind}`]
  return { headers, body: { length: undefined, parts } }
}
