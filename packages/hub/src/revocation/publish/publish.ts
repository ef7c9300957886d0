/** Publishes which storage tokens have been taken back: a small signed head, and the list that it names. */

import {
  type Clock,
  type JournalNumber,
  journalNumber,
  type Refusal,
  unixSeconds,
} from '@latchkey/protocol'
import type { Stopwatch } from '@latchkey/service/machine/time'
import {
  cutOffHash,
  finalNumber,
  forEver,
  listHash,
  maxHeadSeconds,
  type RevocationHead,
  writeRevocationList,
} from '@latchkey/token'
import { type SigningKey, signHead } from '@latchkey/token/signing'
import { findHead } from '../../journal/read-journal.ts'
import { noKeyToSign } from '../../keys/key-state.ts'
import type { Store } from '../../stores/store.ts'
import type { Reading } from '../../tables/directory.ts'
import type { Schema } from '../../tables/schema.ts'

interface Publishing {
  readonly issuer: string
  readonly readBeside: Store['readBeside']
  /** Signs heads and nothing else. */
  readonly key: () => Promise<SigningKey | undefined>
  readonly clock: Clock
  readonly stopwatch: Stopwatch
}

export interface RevocationPublisher {
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
const maxLists = 8

interface SignedHead extends Pick<RevocationHead, 'seq' | 'list' | 'iat'> {
  readonly kid: string
  readonly text: string
}

export function publishRevocations(publishing: Publishing): RevocationPublisher {
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
    if (lists.size > maxLists && oldest !== undefined) lists.delete(oldest)
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
      const exp = unixSeconds(now + maxHeadSeconds)
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

interface PublishedList {
  readonly hash: string
  readonly bytes: Buffer
}

interface ListReading {
  /** Every cut-off of the journal up to this number is in the list. */
  readonly seq: JournalNumber
  readonly list: PublishedList
}

type ReadList = (tables: Reading) => Promise<ListReading>

/** Pruning changes the list without an entry, and shows after this time. */
const readAgainMs = 60_000

export function listReader(stopwatch: Stopwatch): ReadList {
  let held: Held | undefined
  return async (tables) => {
    // First the number: what is cut between the two statements may be in the list, and is in the next head.
    const { number } = await findHead(tables)
    const isSame = number === held?.number && stopwatch() - held.readAt < readAgainMs
    if (held === undefined || !isSame)
      held = await readIfNew(tables, held, { number, readAt: stopwatch() })
    return { seq: journalNumber(number), list: held.list }
  }
}

interface Look {
  readonly number: number
  readonly readAt: number
}

interface Held extends Look {
  readonly version: string
  readonly list: PublishedList
}

/** Counting takes long where there are many cut-offs, so it happens once for an entry of the journal. */
async function readIfNew(tables: Reading, held: Held | undefined, read: Look): Promise<Held> {
  const version = await versionOf(tables)
  const list = version === held?.version ? held.list : await readAll(tables)
  return { ...read, version, list }
}

/** Every transaction that cuts has a number of its own; pruning changes the count. */
async function versionOf(tables: Reading): Promise<string> {
  const row = await tables
    .selectFrom('cut_offs')
    .select(({ fn }) => [fn.max('made').as('made'), fn.countAll().as('count')])
    .executeTakeFirst()
  return `${row?.made} ${row?.count}`
}

async function readAll(tables: Reading): Promise<PublishedList> {
  const rows = await tables
    .selectFrom('cut_offs')
    .select(['kind', 'id', 'number', 'made'])
    .execute()
  const bytes = writeRevocationList(new Map(rows.map((row) => [cutOffHash(row), listed(row)])))
  return { hash: listHash(bytes), bytes }
}

/** A gate reads from the number for how long it has to keep the entry. */
function listed({
  kind,
  number,
  made,
}: Pick<Schema['cut_offs'], 'kind' | 'number' | 'made'>): JournalNumber {
  return number === forEver && kind !== 'key' ? finalNumber(made) : number
}
