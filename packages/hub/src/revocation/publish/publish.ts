/** Publishes which storage tokens have been taken back: a small signed head, and the list that it names. */

import { type Clock, type Refusal, unixSeconds } from '@latchkey/protocol'
import type { Stopwatch } from '@latchkey/service/limits/limiter'
import { longestHeadSeconds, type RevocationHead } from '@latchkey/token'
import { type SigningKey, signHead } from '@latchkey/token/signing'
import { noKeyToSign } from '../../keys/no-key-to-sign.ts'
import type { Store } from '../../stores/store.ts'
import { listReader, type PublishedList } from './read-list.ts'

export interface Publishing {
  readonly issuer: string
  readonly readBeside: Store['readBeside']
  /** Signs heads and nothing else. */
  readonly key: () => Promise<SigningKey | undefined>
  readonly clock: Clock
  readonly stopwatch: Stopwatch
}

export interface Published {
  /** Signed by the newest state of the directory. */
  head(): Promise<string | Refusal>
  /** The list with this hash, if it is the newest or was not long ago. */
  list(hash: string): Promise<Buffer | undefined>
}

/** A head that says the same again is signed anew after this time, so that it always has a long life left. */
const signAgainSeconds = 10

/** SHA-256 in base64url. */
const hashLength = 43

/** A gate asks for a list right after its head; behind a load balancer perhaps another hub. */
const mostLists = 8

interface SignedHead extends Pick<RevocationHead, 'seq' | 'list' | 'iat'> {
  readonly kid: string
  readonly text: string
}

export function publishRevocations(publishing: Publishing): Published {
  const { issuer, readBeside, key, clock } = publishing
  const readList = listReader(publishing.stopwatch)
  const lists = new Map<string, PublishedList>()
  let last: SignedHead | undefined

  const newest = async () => {
    const reading = await readBeside(readList)
    const { list } = reading
    lists.delete(list.hash)
    lists.set(list.hash, list)
    const [oldest] = lists.keys()
    if (lists.size > mostLists && oldest !== undefined) lists.delete(oldest)
    return reading
  }
  return {
    async head() {
      const { seq, list } = await newest()
      const [signing, now] = [await key(), clock()]
      if (signing === undefined) return noKeyToSign
      const isSame =
        last?.seq === seq && last.list === list.hash && last.kid === signing.kid && last.iat <= now
      if (last !== undefined && isSame && now - last.iat < signAgainSeconds) return last.text
      const exp = unixSeconds(now + longestHeadSeconds)
      const text = signHead({ iss: issuer, seq, list: list.hash, iat: now, exp }, signing)
      last = { seq, list: list.hash, iat: now, kid: signing.kid, text }
      return text
    },
    async list(hash) {
      if (hash.length !== hashLength) return undefined
      if (!lists.has(hash)) await newest()
      return lists.get(hash)?.bytes
    },
  }
}
