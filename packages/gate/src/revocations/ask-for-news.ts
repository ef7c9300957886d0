/** Asks the hub for its revocation list. The result is a newer list, the same one, or an error. */

import { type Clock, isFuture, type Moment, type UnixSeconds } from '@latchkey/protocol'
import {
  type HeadVerificationResult,
  type InvalidHead,
  listHash,
  type RevocationHead,
  type RevocationList,
  readRevocationList,
  verifyHead,
} from '@latchkey/token'
import type { HeadKeys, HubDocuments } from './head-keys.ts'
import { type HeldRevocations, type KeptEntries, keepEntries, namesKey } from './kept-entries.ts'

interface Asking {
  readonly documents: HubDocuments
  readonly keys: HeadKeys
  readonly issuer: string
  readonly clock: Clock
  readonly leewaySeconds: number
}

interface NewsQuestion {
  readonly held: HeldRevocations | undefined
  /** Entries that count beside those that are held. */
  readonly remembered: KeptEntries
  readonly sent: Moment
  readonly signal: AbortSignal
}

/** Fails, and then nothing changes and nothing counts for longer. */
export async function askForNews(asking: Asking, question: NewsQuestion): Promise<HeldRevocations> {
  const { head, kid } = await readNewestHead(asking, question)
  const fault = headFault(head, asking.clock(), asking.leewaySeconds)
  if (fault !== undefined) throw new Error(fault)
  const held = stillBinding(asking.keys, question.held)
  const comparison = compareHeads(head, held?.head)
  if (comparison === 'older') {
    throw new Error("the hub's head of revocations is older than the one before it")
  }
  const { sent } = question
  if (comparison === 'same' && held !== undefined) return { ...held, confirmed: sent }
  const listed = await listOf(head, asking, question)
  if (namesKey(listed, kid)) {
    throw new Error("the hub's head of revocations is signed with a key that its own list cuts off")
  }
  const { isPublished } = asking.keys
  const { remembered } = question
  const lists = keepEntries(question.held, { listed, at: head.iat, isPublished, remembered })
  return { head, kid, ...lists, since: sent, confirmed: sent }
}

/**
 * Where the hub has withdrawn the key of the held head, that head's number does not count: whoever had the key could have
 * signed a number so high that the gate would ignore every later head.
 */
function stillBinding(
  keys: HeadKeys,
  held: HeldRevocations | undefined,
): HeldRevocations | undefined {
  return held !== undefined && keys.isPublished(held.kid) ? held : undefined
}

async function readNewestHead(
  { documents, keys, issuer }: Asking,
  { held, signal }: NewsQuestion,
): Promise<Extract<HeadVerificationResult, { ok: true }>> {
  const text = await documents.head(signal)
  await keys.freshen(signal)
  const verify = () => verifyHead(text, { keys: keys.trusted(held), issuer })
  const first = await verify()
  if (first.ok) return first
  if (first.reason !== 'unknown_key') throw new Error(sentenceOf[first.reason])
  // An unknown key may be a new one. One more document in a question is no load, so there is no cooldown to wait for.
  await keys.fetch(signal)
  const second = await verify()
  if (second.ok) return second
  throw new Error(sentenceOf[second.reason])
}

const sentenceOf: Record<InvalidHead, string> = {
  malformed: 'the hub answered with something else than a head of revocations',
  unknown_key: "the hub's head of revocations is signed with a key that the hub does not publish",
  forged: "the signature of the hub's head of revocations is wrong",
  wrong_issuer:
    "the hub's head of revocations names another issuer: its publicUrl and the issuer of the gate differ",
}

/** The same object for the same list, so that what was judged by it need not be judged again. */
async function listOf(
  head: RevocationHead,
  { documents }: Asking,
  { held, signal }: NewsQuestion,
): Promise<RevocationList> {
  if (held?.head.list === head.list) return held.listed
  const bytes = await documents.list(head.list, signal)
  const list = listHash(bytes) === head.list ? readRevocationList(bytes) : undefined
  if (list === undefined)
    throw new Error("the hub's list of revocations is not the one its head names")
  return list
}

/** Why it does not count, in words for the operator; undefined if it does. */
function headFault(
  { iat, exp, seq }: RevocationHead,
  now: UnixSeconds,
  leewaySeconds: number,
): string | undefined {
  if (iat > now + leewaySeconds) {
    return "the hub's head of revocations was signed in the future; check the clocks of hub and gate"
  }
  // No leeway: for so long a token may be used that was taken back.
  if (exp <= now) {
    return "the hub's head of revocations is over already; check the clocks of hub and gate, and for a cache between them"
  }
  // The gate ignores lower numbers from then on.
  if (isFuture(seq, now)) {
    return "the hub's journal is more than a day ahead of this machine's clock; set the clocks of both"
  }
  return undefined
}

/** `same`: says nothing that the held one does not say, at no later time. */
function compareHeads(
  head: RevocationHead,
  held: RevocationHead | undefined,
): 'newer' | 'same' | 'older' {
  if (held === undefined || head.seq > held.seq) return 'newer'
  if (head.seq < held.seq) return 'older'
  return head.iat > held.iat ? 'newer' : 'same'
}
