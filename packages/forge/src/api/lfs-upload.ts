/** The content of a large file, from clients that send it in one request, and the question whether it arrived. */

import { isRefusal, type Refusal, type RepoRef, refuse } from '@latchkey/protocol'
import { atPace, readBody } from '@latchkey/service/http/bodies'
import { withShare } from '@latchkey/service/limits/shares'
import { findContent } from '../commits/find-content.ts'
import type { Exchange, ForgeDeps, ForgeHandler } from '../handler/exchange.ts'
import { exactParts, membersIn, otherSize } from '../http/bodies.ts'
import { type ForgeReply, lfsType } from '../http/reply.ts'
import { findObjects, keyOf, type LargeObject } from '../large-files/find-objects.ts'
import { openUpload, type UploadProof } from '../large-files/proof.ts'
import { isSize } from '../words/members.ts'
import { type LargeFileAddress, notGood } from './large-file.ts'
import { proofScheme } from './lfs-links.ts'

/** The storage cuts, packs and hashes what comes, and registers the file if its SHA-256 is right. */
export const lfsUpload: ForgeHandler<LargeFileAddress> = async (exchange, address, parts) => {
  const { request, signal } = exchange
  const [sealed = ''] = exchange.query.get('proof') ?? []
  const proof = proofOf(sealed, address, parts)
  if (proof === undefined) return notGood
  const { account, token, oid, size } = proof
  const { 'content-length': length, 'content-encoding': encoding } = request.headers
  if (length !== undefined && Number(length) !== size)
    return refuse('content_invalid', otherSize(size))
  if (encoding !== undefined && encoding !== 'identity') return encoded
  if (request.headers['content-range'] !== undefined) return partial
  return withShare(parts.uploadSlots.take({ account }, signal), async () => {
    const body = exactParts(atPace(request.iterator({ destroyOnReturn: false })), size)
    const file = { oid, sizeBytes: size }
    const stored = await parts.storage.write(token, file, { parts: body, signal })
    return isRefusal(stored) ? stored : done
  })
}

const encoded = refuse(
  'unsupported_media_type',
  'The body has a Content-Encoding. Send the bytes of the large file as they are.',
)
const partial = refuse('bad_request', 'Send the whole large file, without Content-Range.')

const done: ForgeReply = { headers: ['Content-Type', lfsType], body: '{}' }

/** Longer than an oid and a size. */
const maxVerifyBytes = 4096

export const lfsVerify: ForgeHandler<LargeFileAddress> = async (exchange, address, parts) => {
  const { request, takeRoom } = exchange
  const [scheme, sealed = ''] = request.headers.authorization?.split(' ') ?? []
  const proof = proofOf(sealed, address, parts)
  if (proof === undefined && (scheme === undefined || scheme === proofScheme)) return notGood
  const bytes = await readBody(request, { most: maxVerifyBytes, take: takeRoom })
  const members = isRefusal(bytes) ? bytes : await membersIn(bytes)
  if (isRefusal(members)) return members
  const { oid, size } = members
  if (oid !== address.oid || !isSize(size) || (proof && proof.size !== size)) return otherObject
  const object = { oid: address.oid, size }
  const isThere = await (proof === undefined
    ? seenByCaller(exchange, parts, { ...object, repo: address.repo })
    : seenThrough(proof, exchange, parts))
  if (isRefusal(isThere)) return isThere
  return isThere ? done : notThere
}

const otherObject = refuse(
  'content_invalid',
  'The body must name the oid and the size of this large file.',
)
const notThere = refuse(
  'entry_not_found',
  'The storage has no content with this SHA-256 and size. Upload it first.',
)

async function seenThrough(
  { token, oid, size }: UploadProof,
  { signal }: Exchange,
  { storage }: ForgeDeps,
): Promise<boolean | Refusal> {
  const found = await storage.find(token, { oid, sizeBytes: size }, { signal })
  return isRefusal(found) ? found : found !== undefined
}

/** For a client that sends its hub token in place of the header: its upload may take longer than the proof lasts. */
async function seenByCaller(
  { hub }: Exchange,
  { storage }: ForgeDeps,
  { repo, oid, size }: LargeObject & { readonly repo: RepoRef | undefined },
): Promise<boolean | Refusal> {
  const readable = await hub.refs(repo)
  if (isRefusal(readable)) return readable
  if (repo === undefined) return false
  const uploads = await hub.uploadTokens(repo)
  const uploaded = await findContent(storage, [{ oid, sizeBytes: size }], uploads)
  if (isRefusal(uploaded)) return uploaded
  if (uploaded[0] !== undefined) return true
  const found = await findObjects({ hub, storage, repo, readable, ref: undefined }, [{ oid, size }])
  return isRefusal(found) ? found : found.has(keyOf({ oid, size }))
}

function proofOf(
  proof: string,
  { repo, oid }: LargeFileAddress,
  { seal, clock }: ForgeDeps,
): UploadProof | undefined {
  return repo && openUpload(seal, { repo, oid }, { proof, clock })
}
