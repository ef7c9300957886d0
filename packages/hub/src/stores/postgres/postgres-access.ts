/** Answers the hot path from PostgreSQL: one round trip for a question, and one statement for all of a turn. */

import { type AccountId, formatRepoRef, type UnixSeconds } from '@latchkey/protocol'
import type { Stopwatch } from '@latchkey/service/machine/time'
import {
  DatabaseBusy,
  type GuardedDatabase,
  type NamedQuery,
  waitUntilBack,
} from '@latchkey/service/postgres'
import type {
  AccessStore,
  LookedUpNames,
  StoreAnswer,
  StoreQuestion,
} from '../../access/access-store.ts'
import { type FoundFacts, findStatement, foundIn } from './find-statement.ts'
import type { FollowedHead } from './follow-head.ts'
import { ofWhom, oneHead } from './server-name.ts'

/**
 * So few in one that PostgreSQL does not think a statement worth compiling, which would take far longer than the answer. Two at
 * once, so that a slow one does not hold up the others; with more of them, each is smaller and all cost more.
 */
export const batching = { atOnce: 2, maxInOne: 64, maxWaitMs: 1500 }

interface Question {
  readonly now: UnixSeconds
  readonly hash: string | null
  readonly account: AccountId | null
  readonly about: LookedUpNames | undefined
}

export function postgresAccess(
  database: Pick<GuardedDatabase<unknown>, 'query'>,
  { schema, head }: { readonly schema: string; readonly head: FollowedHead },
): AccessStore {
  const text = findStatement(schema)
  const askOne = async <Row>(query: NamedQuery): Promise<Row> => {
    // A question that waited while the database was unavailable fails at once, and asks no more.
    head.version()
    const [row] = await database.query<Row>(query)
    if (row === undefined) throw new Error('a question without an answer')
    return row
  }
  const ask = inBatches<Question, FoundFacts>(async (questions) => {
    const values = valuesOf(questions)
    const { answers } = await askOne<FoundRow>({ name: 'latchkey_find', text, values })
    return JSON.parse(answers).map(foundIn)
  }, batching)
  // One statement at a time, however many requests with an unknown prefix come: other questions need the connections.
  const askPrefixes = inBatches<undefined, PrefixRow>(
    async (askers) => {
      const row = await askOne<PrefixRow>(prefixQuery(schema))
      return askers.map(() => row)
    },
    { ...batching, atOnce: 1, maxInOne: Number.POSITIVE_INFINITY },
  )
  return {
    isExact: false,
    version: () => head.version(),
    isFresh: head.isFresh,
    untilBack: waitUntilBack({ isBack: head.lookAnew }),
    find: (question) => find(question, ask),
    async findPrefixes() {
      const { prefixes } = await askPrefixes(undefined)
      return new Set<string>(JSON.parse(prefixes ?? '[]'))
    },
  }
}

interface FoundRow {
  /** A list in JSON, in the order of the questions. */
  readonly answers: string
}

interface PrefixRow {
  /** A list in JSON. */
  readonly prefixes: string | null
}

function prefixQuery(schema: string): NamedQuery {
  return {
    name: 'latchkey_prefixes',
    text: `SELECT ${ofWhom('head')}, (SELECT pg_catalog.json_agg(prefix) FROM ${schema}.hub_token_prefixes) AS prefixes
           FROM ${oneHead(schema)}`,
  }
}

function find(
  { now, hubTokenHash, about, viewerOf }: StoreQuestion,
  ask: Ask,
): StoreAnswer | Promise<StoreAnswer> {
  if (hubTokenHash !== undefined) return findBoth(hubTokenHash, { now, about, viewerOf }, ask)
  const viewer = viewerOf(undefined)
  if (viewer === undefined || about === undefined) return nothing
  return ask({ now, hash: null, account: viewer.accountId ?? null, about })
}

async function findBoth(
  hash: string,
  { now, about, viewerOf }: Omit<StoreQuestion, 'hubTokenHash'>,
  ask: Ask,
): Promise<StoreAnswer> {
  const {
    caller,
    viewer: guessed,
    repository,
  } = await ask({
    now,
    hash,
    account: null,
    about,
  })
  const viewer = viewerOf(caller)
  if (viewer === undefined || about === undefined) return { caller, repository: undefined }
  // The statement has guessed who looks. Only the access room decides it.
  const account = viewer.accountId ?? null
  if (guessed === account) return { caller, repository }
  return { caller, repository: (await ask({ now, hash: null, account, about })).repository }
}

type Ask = (question: Question) => Promise<FoundFacts>

const nothing: StoreAnswer = { caller: undefined, repository: undefined }

/** As one JSON text, because the driver takes longer to write lists. An empty branch is the default one. */
function valuesOf(questions: readonly Question[]): readonly unknown[] {
  return [
    JSON.stringify(
      questions.map(({ now, hash, account, about }) => ({
        now,
        hash,
        account,
        path: about && formatRepoRef(about.repo),
        commit: about?.names.commit,
        tag: about?.names.tag,
        branch: about?.names.moving === 'default branch' ? '' : about?.names.moving,
      })),
    ),
  ]
}

export interface BatchLimits {
  /** How many batches may be on their way; what comes meanwhile waits for one of them, and goes together. */
  readonly atOnce: number
  readonly maxInOne: number
  /** A question that has waited longer to be sent fails with `DatabaseBusy`. */
  readonly maxWaitMs: number
  readonly stopwatch?: Stopwatch
}

/**
 * Beside another, a batch waits until it is half full, but no longer than this: small ones cost the hub and the database more
 * for each question, and a slow one must not hold up others.
 */
const fillingMs = 10

export function inBatches<Question, Answer>(
  askAll: (questions: readonly Question[]) => Promise<readonly Answer[]>,
  { atOnce, maxInOne, maxWaitMs, stopwatch = () => performance.now() }: BatchLimits,
): (question: Question) => Promise<Answer> {
  let waiting: Waiting<Question, Answer>[] = []
  let onTheirWay = 0
  let isDue = false
  let isFilling = false

  const giveUpOld = (): void => {
    const earliest = stopwatch() - maxWaitMs
    const firstRecent = waiting.findIndex(({ since }) => since >= earliest)
    const old = waiting.splice(0, firstRecent === -1 ? waiting.length : firstRecent)
    for (const { reject } of old) reject(new DatabaseBusy(tooMany))
  }
  const isWorthSending = (isOverdue: boolean): boolean =>
    onTheirWay === 0 || isOverdue || waiting.length >= maxInOne / 2
  const send = (isOverdue = false): void => {
    isDue = false
    giveUpOld()
    while (waiting.length > 0 && onTheirWay < atOnce && isWorthSending(isOverdue)) {
      const batch = waiting.slice(0, maxInOne)
      waiting = waiting.slice(maxInOne)
      onTheirWay += 1
      void settle(batch)
    }
    if (waiting.length > 0 && onTheirWay < atOnce) fill()
  }
  const fill = (): void => {
    if (isFilling) return
    isFilling = true
    setTimeout(() => {
      isFilling = false
      send(true)
    }, fillingMs)
  }
  const settle = async (batch: readonly Waiting<Question, Answer>[]): Promise<void> => {
    try {
      const answers = await askAll(batch.map(({ question }) => question))
      sendNext()
      for (const [index, { resolve }] of batch.entries()) resolve(answers[index] as Answer)
    } catch (error) {
      sendNext()
      for (const { reject } of batch) reject(error)
    }
  }
  /** Before anybody gets an answer: the database works on the next batch while the hub decides by this one. */
  const sendNext = (): void => {
    onTheirWay -= 1
    send()
  }
  return (question) =>
    new Promise((resolve, reject) => {
      waiting.push({ question, resolve, reject, since: stopwatch() })
      if (isDue) return
      isDue = true
      // After the requests of this turn, and before anything is waited for: a lone one is not delayed.
      setImmediate(() => send())
    })
}

const tooMany = 'The database has more questions than it can answer.'

interface Waiting<Question, Answer> {
  readonly question: Question
  readonly resolve: (answer: Answer) => void
  readonly reject: (error: unknown) => void
  readonly since: number
}
