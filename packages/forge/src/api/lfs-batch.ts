import { isRefusal, parseRefName } from '@latchkey/protocol'
import type { RepoAddress } from '../addresses/find-route.ts'
import type { ForgeHandler } from '../handler/exchange.ts'
import { lfsType } from '../http/reply.ts'
import { findObjects, keyOf } from '../large-files/find-objects.ts'
import { badOid, largeObjects, readBatch, type WantedObject } from '../large-files/read-batch.ts'
import { downloadLink } from './lfs-links.ts'
import { type AnswerBatch, uploadBatch } from './lfs-upload-batch.ts'

export const lfsBatch: ForgeHandler<RepoAddress> = async (exchange, { repo }, parts) => {
  const { hub } = exchange
  const readable = await hub.refs(repo)
  if (isRefusal(readable)) return readable
  const batch = await readBatch(exchange)
  if (isRefusal(batch)) return batch
  // The hub has none that cannot exist.
  if (repo === undefined) throw new Error('a repository that cannot exist has refs')
  const answer = { upload: uploadBatch, download: downloadBatch }[batch.operation]
  const response = await answer({ hub, repo, readable, batch }, parts)
  if (isRefusal(response)) return response
  const body = JSON.stringify({ hash_algo: 'sha256', ...response })
  return { headers: ['Content-Type', lfsType], body }
}

/** In the order of the client's list. */
const downloadBatch: AnswerBatch = async ({ hub, repo, readable, batch }, parts) => {
  const ref = parseRefName(batch.revision ?? '')
  const finding = { hub, storage: parts.storage, repo, readable, ref }
  const found = await findObjects(finding, largeObjects(batch.objects))
  if (isRefusal(found)) return found
  const objects = batch.objects.map((wantedObject) => {
    const { oid, size, parsed } = wantedObject
    const object = parsed && found.get(keyOf({ oid: parsed, size }))
    const details =
      parsed && object
        ? downloadLink(parts, { repo, oid: parsed, size }, object)
        : missing(wantedObject)
    return { oid, size, ...details }
  })
  return { transfer: 'basic', objects }
}

/** An error for one object, so that git-lfs fetches the others. */
function missing({ parsed }: WantedObject): object {
  if (parsed === undefined) return badOid
  const message = 'No ref that you may read has a large file with this SHA-256 and size.'
  return { error: { code: 404, message } }
}
