/** How large the body of each verb may be, and how many bodies the hub reads and acts on at once. */

import type { Verb, Words } from '@latchkey/admin-api'
import { isRefusal, type Refusal } from '@latchkey/protocol'
import type { BodyLimits } from '@latchkey/service/http/bodies'
import type { Call } from '@latchkey/service/http/call'
import { type HeldRoom, heldRoom, type Shares, shares } from '@latchkey/service/limits/shares'
import type { Caller } from '../identity/caller.ts'
import { shortBytes } from './read-request.ts'

const kib = 1024

const usualBytes = 64 * kib

const larger: Readonly<Partial<Record<Words, BodyLimits>>> = {
  // A file is planned in one go in places, so that a larger one would stop other requests.
  apply: {
    most: 512 * kib,
    advice: 'Apply a smaller file, or run `latchkey apply` on the machine of the hub.',
  },
  // 10 000 refs.
  'ref update': { most: 2048 * kib, advice: 'Send fewer refs at a time.' },
  // 1000 refs.
  'commit record': { most: 512 * kib, advice: 'Name fewer refs at a time.' },
  'hub-token create': { most: 512 * kib },
  'hub-token set': { most: 512 * kib },
}

export function bodyLimitOf({ words }: Pick<Verb, 'words'>): BodyLimits {
  return larger[words] ?? { most: usualBytes }
}

/** The largest body takes about half a second of processor time, and some times its 2 MiB of memory. */
const atOnce = {
  max: 32,
  maxOfAccount: 8,
  reserved: 8,
  // The rest of a body that waits must still arrive within the time of a request.
  maxWaitSeconds: 10,
}

/** Takes the room for one request with a body, until it is answered. Requests beyond the share of an account wait. */
export type TakeBodyRoom = (call: Call, caller: Caller) => Promise<HeldRoom | Refusal>

/** `bytes` are those of all bodies that the hub holds in memory. */
export function bodyRoom(bytes: Shares): TakeBodyRoom {
  const slots = shares(atOnce)
  return async (call, { accountId }) => {
    const payer = { account: accountId }
    const leave = isShort(call.request) ? () => {} : await slots.take(payer, call.signal)
    if (isRefusal(leave)) return leave
    const held = heldRoom(bytes, { payer: () => payer, signal: () => call.signal })
    return {
      take: held.take,
      release() {
        leave()
        held.release()
      },
    }
  }
}

/** Such a request never waits: an administrator can always revoke. */
function isShort({ headers }: Call['request']): boolean {
  const { 'transfer-encoding': encoding, 'content-length': length = 0 } = headers
  return encoding === undefined && Number(length) <= shortBytes
}
