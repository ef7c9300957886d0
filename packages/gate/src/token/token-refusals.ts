/** Why a storage token is not accepted, in words for the person who sent it. */

import { type Refusal, refuse } from '@latchkey/protocol'
import type { InvalidToken } from '@latchkey/token'

export const tokenMissing: Refusal = refuse(
  'storage_token_missing',
  'The request has no storage token. Ask the hub for one and send it as "Authorization: Bearer <token>"; it is read from nowhere else.',
)

const sentenceOf: Record<InvalidToken | 'revoked', string> = {
  malformed: 'The storage token is not one that a hub has issued. Send accessToken as it came.',
  unknown_key: 'The storage token is signed with a key that the hub does not publish.',
  forged: 'The signature of the storage token is wrong. Send accessToken as it came.',
  wrong_issuer:
    'The storage token was issued by another hub than the one this gate trusts. If there is only one, its publicUrl and the issuer of the gate differ: tell the operator.',
  wrong_audience:
    'The storage token was issued for another storage. Use it at the casUrl that came with it; if you did, hub and gate differ in casUrl: tell the operator.',
  not_yet_issued:
    'The storage token was issued in the future. Check the clocks of hub and storage.',
  lives_too_long:
    'The storage token lives for longer than a day, which no hub allows. Ask the hub for a new one.',
  expired: 'The storage token has expired. Ask the hub for a new one, 30 seconds before exp.',
  revoked: 'The storage token has been revoked. Ask the hub for a new one.',
}

export function tokenInvalid(reason: keyof typeof sentenceOf, tokenId?: string): Refusal {
  const id = tokenId === undefined ? {} : { tokenId }
  return refuse('storage_token_invalid', sentenceOf[reason], { reason, ...id })
}

/** Fail closed: the token may have been revoked since. */
export const noNews: Refusal = refuse(
  'gate_not_ready',
  'The gate does not know which storage tokens are revoked, because its revocation list is stale. Try again in a moment.',
  { retryAfterSeconds: 5 },
)

/** A wrong refusal would cost an upload: clients try again after a 503, and not after a 401. */
export const keyNotConfirmed: Refusal = refuse(
  'gate_not_ready',
  'The storage token is signed with a key that the gate does not know, and the gate could not reach the hub to look for it. Try again in a moment.',
  { retryAfterSeconds: 5 },
)

export const gateNotReady: Refusal = refuse(
  'gate_not_ready',
  'The gate does not have the keys of the hub yet, so it cannot verify tokens. Try again in a moment.',
  { retryAfterSeconds: 5 },
)
