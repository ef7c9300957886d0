import type { CallerQuestions } from '@latchkey/admin-api/forge-port'
import {
  formatTokenPath,
  isRefusal,
  parseRefName,
  parseRevision,
  type Refusal,
  type RepoRef,
  type UnixSeconds,
  unixSeconds,
} from '@latchkey/protocol'
import type { RepoAddress } from '../addresses/find-route.ts'
import type { ForgeDeps, ForgeHandler } from '../handler/exchange.ts'
import type { ForgeReply } from '../http/reply.ts'
import {
  type FoundObject,
  findObjects,
  keyOf,
  type LargeObject,
} from '../large-files/find-objects.ts'
import { closeProof, maxLifeSeconds } from '../large-files/proof.ts'
import { type Batch, readBatch, type WantedObject } from '../large-files/read-batch.ts'
import { pageUrl } from './addresses-of.ts'
import { notYet } from './later.ts'

const mediaType = 'application/vnd.git-lfs+json'

export const lfsBatch: ForgeHandler<RepoAddress> = async (exchange, { repo }, parts) => {
  const { hub } = exchange
  const readable = await hub.refs(repo)
  if (isRefusal(readable)) return readable
  const batch = await readBatch(exchange)
  if (isRefusal(batch)) return batch
  // The hub has none that cannot exist.
  if (repo === undefined) throw new Error('a repository that cannot exist has refs')
  const { storage, publicUrl } = parts
  if (batch.operation === 'upload') {
    if (!batch.isOfXet) return notYet('uploading large files with git-lfs')
    const response = await xetUpload({ hub, repo, publicUrl }, batch)
    return isRefusal(response) ? response : asBatch(response)
  }
  const ref = parseRefName(batch.revision ?? '')
  const finding = { hub, storage, repo, readable, ref }
  const found = await findObjects(finding, batch.objects.flatMap(asLarge))
  if (isRefusal(found)) return found
  const objects = batch.objects.map((wantedObject) => {
    const [large] = asLarge(wantedObject)
    const object = large && found.get(keyOf(large))
    const details =
      large && object ? linked(parts, { repo, ...large }, object) : missing(wantedObject)
    return { ...named(wantedObject), ...details }
  })
  return asBatch({ transfer: 'basic', hash_algo: 'sha256', objects })
}

function asBatch(batchResponse: object): ForgeReply {
  return { headers: ['Content-Type', mediaType], body: JSON.stringify(batchResponse) }
}

function asLarge({ parsed, size }: WantedObject): readonly LargeObject[] {
  return parsed === undefined ? [] : [{ oid: parsed, size }]
}

function named({ oid, size }: WantedObject): object {
  return { oid, size }
}

function linked(
  { seal, clock, publicUrl }: ForgeDeps,
  { repo, oid, size }: LargeObject & { readonly repo: RepoRef },
  { hash, token }: FoundObject,
): object {
  const now = clock()
  const expiresAt = unixSeconds(Math.min(token.expiresAt, now + maxLifeSeconds))
  const proof = closeProof(seal, { repo, oid }, { hash, size, token, expiresAt })
  const href = `${pageUrl(publicUrl, repo)}.git/info/lfs/objects/${oid}?proof=${proof}`
  // The address says all: git-lfs asks for no password.
  return { authenticated: true, actions: { download: { href, expires_in: left(expiresAt, now) } } }
}

function left(expiresAt: UnixSeconds, now: UnixSeconds): number {
  return Math.max(1, expiresAt - now)
}

/** An error for one object, so that git-lfs fetches the others. */
function missing({ parsed }: WantedObject): object {
  if (parsed === undefined) {
    return { error: { code: 422, message: 'The oid must be a SHA-256 in lower-case digits.' } }
  }
  const message = 'No ref that you may read has a large file with this SHA-256 and size.'
  return { error: { code: 404, message } }
}

/**
 * The members for a client that uploads large files to the storage itself: where it gets a write
 * token.
 */
interface XetUploading {
  readonly hub: Pick<CallerQuestions, 'decide' | 'openUpload'>
  readonly repo: RepoRef
  readonly publicUrl: string
}

/** A client that names no branch will make a pull request. */
async function xetUpload(
  { hub, repo, publicUrl }: XetUploading,
  { revision: name, objects }: Batch,
): Promise<object | Refusal> {
  const revision = name === undefined ? undefined : parseRevision(name)
  const decided = await (revision === undefined
    ? hub.openUpload({ repo, revision: undefined, scope: 'read' })
    : hub.decide({ repo, revision, scope: 'write' }))
  if (isRefusal(decided)) return decided
  // `HEAD` names a branch only on the routes of Hugging Face, so the response names the branch itself.
  const branch = revision?.kind === 'impossible' ? decided.ref.name : name
  const path = formatTokenPath(repo, 'write', branch ?? 'None', 'xet')
  const href = `${publicUrl}${path}${name === undefined ? '?create_pr=1' : ''}`
  const upload = { href, header: {} }
  const uploads = objects.map(({ oid, size }) => ({ oid, size, actions: { upload } }))
  return { transfer: 'xet', hash_algo: 'sha256', objects: uploads }
}
