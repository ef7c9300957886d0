/** Tells git-lfs for each object whether and how to upload it. */

import type { CallerQuestions, ReadableRefs } from '@latchkey/admin-api/forge-port'
import { formatTokenPath, isRefusal, type Refusal, type RepoRef } from '@latchkey/protocol'
import type { ForgeDeps } from '../handler/exchange.ts'
import { keyOf, type LargeObject } from '../large-files/find-objects.ts'
import { type Batch, badOid, largeObjects } from '../large-files/read-batch.ts'
import { findUploaded } from '../uploads/find-uploaded.ts'
import { findUploadPlace, type UploadPlace } from '../uploads/upload-place.ts'
import { uploadLink } from './lfs-links.ts'

interface BatchQuestion {
  readonly hub: CallerQuestions
  readonly repo: RepoRef
  readonly readable: ReadableRefs
  readonly batch: Batch
}

/** The members of an answer, without those that every answer has. */
export type AnswerBatch = (question: BatchQuestion, parts: ForgeDeps) => Promise<object | Refusal>

/** Less than the parts that a storage takes of one file. */
const maxObjectBytes = 512 * 1024 ** 3

export const uploadBatch: AnswerBatch = async ({ hub, repo, readable, batch }, parts) => {
  const { storage, publicUrl } = parts
  const place = await findUploadPlace({ hub, repo, name: batch.revision })
  if (isRefusal(place)) return place
  const { token } = place
  const possible = largeObjects(batch.objects).filter(({ size }) => size <= maxObjectBytes)
  const there = await findUploaded({ hub, storage, repo, readable, place }, possible)
  if (isRefusal(there)) return there
  const byXet = batch.isOfXet ? xetLink(place, { repo, publicUrl }) : undefined
  const account = hub.payer()
  const linkOf = (object: LargeObject) =>
    byXet ?? uploadLink(parts, { repo, ...object }, { token, account })
  const objects = batch.objects.map(({ oid, size, parsed }) => {
    if (parsed === undefined) return { oid, size, ...badOid }
    if (size > maxObjectBytes) return { oid, size, ...tooLarge }
    const object = { oid: parsed, size }
    // Without an action there is nothing to upload.
    return there.has(keyOf(object)) ? object : { ...object, ...linkOf(object) }
  })
  return { transfer: batch.isOfXet ? 'xet' : 'basic', objects }
}

const tooLarge = {
  error: { code: 413, message: `A large file has at most ${maxObjectBytes} bytes. Split it.` },
} as const

/** The client moves content to the storage itself; it gets its next tokens where a token request goes. */
function xetLink(
  { token: { casUrl, accessToken, expiresAt }, ref }: UploadPlace,
  { repo, publicUrl }: { readonly repo: RepoRef; readonly publicUrl: string },
): object {
  const path = formatTokenPath(repo, 'write', ref?.asNamed ?? 'None', 'xet')
  const href = `${publicUrl}${path}${ref === undefined ? '?create_pr=1' : ''}`
  const header = {
    'X-Xet-Cas-Url': casUrl,
    'X-Xet-Access-Token': accessToken.reveal(),
    'X-Xet-Token-Expiration': String(expiresAt),
  }
  return { actions: { upload: { href, header } } }
}
