/** A hub in a few lines, the storage that follows it, and what design says is visible: the model of the histories. */

import { existsSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setImmediate as turn } from 'node:timers/promises'
import {
  type ChangesQuestion,
  type HubChanges,
  type HubLink,
  HubLinkError,
  noRevocations,
  type PlaceUid,
} from '@latchkey/gate/hub-link'
import {
  asRefUid,
  asRepositoryUid,
  isRefusal,
  type JournalNumber,
  journalNumber,
  type RefUid,
  type Refusal,
  unixSeconds,
} from '@latchkey/protocol'
import type { Catalog, SeenRefView } from '../../src/catalog/catalog.ts'
import { type CatalogDatabase, openCatalog } from '../../src/catalog/catalog-database.ts'
import { databaseCatalog } from '../../src/catalog/database-catalog.ts'
import { sweepPlaces } from '../../src/catalog/removed-places.ts'
import type { UpToDate } from '../../src/catalog/write-in-place.ts'
import { askHub } from '../../src/following/ask-hub.ts'
import { hearing } from '../../src/following/known-number.ts'
import { upToDate } from '../../src/following/up-to-date.ts'
import { addXorb, hash } from '../catalog/content.ts'
import { onPostgres, openTestCatalog } from '../catalog/test-catalog.ts'

export const repositoryUid = asRepositoryUid('repository')

/** A branch, a fork or a commit: what it is called, and whose rows it sees besides its own. */
export interface Line {
  readonly uid: RefUid
  /** Nearest first. */
  readonly sees: readonly { readonly uid: RefUid; readonly before: JournalNumber }[]
}

/** The journal, and the wire between hub and storage. */
export function modelHub() {
  const removals: { readonly number: number; readonly uid: PlaceUid }[] = []
  let head = 1000
  let held: PromiseWithResolvers<void> | undefined
  let failures = 0
  const answer = ({ after = journalNumber(0) }: ChangesQuestion): HubChanges => ({
    kind: 'changes',
    number: journalNumber(head),
    removed: removals.filter(({ number }) => number > after).map(({ uid }) => uid),
    isComplete: true,
  })
  const link: HubLink = {
    keys: { known: () => undefined, refresh: async () => true },
    revocations: noRevocations,
    async changes(question) {
      // The answer is made when the question arrives; the wire may keep it.
      const made = answer(question)
      const isLost = failures > 0
      if (isLost) failures -= 1
      await held?.promise
      await turn()
      if (isLost) throw new HubLinkError('the answer was lost')
      return made
    },
    quotas: async () => ({ number: head, repositories: [], namespaces: [] }),
    raiseEpochs: async () => {},
    findUnknown: async () => new Set(),
  }
  return {
    link,
    /** Every entry takes the next number, or a higher one as the clock would have it. */
    append(jump = 1): JournalNumber {
      head += jump
      return journalNumber(head)
    },
    remove(uid: PlaceUid): void {
      head += 1
      removals.push({ number: head, uid })
    },
    hold(): void {
      held ??= Promise.withResolvers()
    },
    release(): void {
      held?.resolve()
      held = undefined
    },
    loseAnswers(count: number): void {
      failures += count
    },
  }
}

export type ModelHub = ReturnType<typeof modelHub>

export interface ModelStorage {
  /** Resolves with true when the upload was acknowledged; `beforeInsert` comes between the hub's answer and the rows. */
  write(line: Line, word: string, beforeInsert?: () => Promise<void>): Promise<true | Refusal>
  isVisible(line: Line, word: string): Promise<boolean>
  /** Applies what the hub has removed; its rows stay until they are swept. */
  apply(): Promise<void>
  /** Applies and sweeps all that the hub has removed. */
  follow(): Promise<void>
  rowsOf(uid: RefUid): Promise<number>
  /** Everything in memory is gone; what is on the disk stays. */
  restart(): void
  close(): Promise<void>
}

const folder = existsSync('/dev/shm') ? '/dev/shm' : tmpdir()
const clock = () => unixSeconds(1_800_000_000)

export async function modelStorage(link: HubLink): Promise<ModelStorage> {
  const data = mkdtempSync(join(folder, 'latchkey-model-'))
  let database: CatalogDatabase = await openTestCatalog(data)
  let parts = open(database, link)
  const viewOf = ({
    uid,
    sees,
  }: Line): { repositoryUid: typeof repositoryUid; refs: SeenRefView[] } => ({
    repositoryUid,
    refs: [{ uid, before: undefined }, ...sees],
  })
  return {
    async write({ uid }, word, beforeInsert) {
      const catalog = catalogOf(parts, beforeInsert)
      const done = await addXorb(
        catalog,
        { repositoryUid, refUid: uid, refuseIfRevoked: () => undefined },
        word,
      )
      return isRefusal(done) ? done : true
    },
    async isVisible(line, word) {
      const view = await parts.hear(viewOf(line))
      return (await parts.catalog.findXorb(view, hash(word))) !== undefined
    },
    async apply() {
      await parts.fresh()
    },
    async follow() {
      await parts.fresh()
      await sweepPlaces(parts.database)
    },
    rowsOf: (uid) =>
      parts.database.read(async (tables) => {
        const rows = await tables
          .selectFrom('stored_xorbs')
          .select('hash')
          .where('ref_uid', '=', uid)
          .execute()
        return rows.length
      }),
    restart() {
      // On PostgreSQL, what was begun before goes on beside, as in another process.
      if (!onPostgres) {
        void database.close()
        database = openCatalog(data)
      }
      parts = open(database, link)
    },
    async close() {
      await database.close()
      rmSync(data, { recursive: true, force: true })
    },
  }
}

interface Parts {
  readonly database: CatalogDatabase
  readonly catalog: Catalog
  readonly fresh: UpToDate
  readonly hear: ReturnType<typeof hearing>
}

function open(database: CatalogDatabase, link: HubLink): Parts {
  const ask = askHub({ link, database, clock })
  const { revocations } = link
  const fresh = upToDate({ ask, revocations }, { stopwatch: () => 0, pauseMs: 0 })
  const catalog = databaseCatalog({ database, clock, quota: {}, upToDate: fresh })
  return {
    database,
    fresh,
    catalog,
    hear: hearing({ database, clock, knownNumber: journalNumber(0) }),
  }
}

function catalogOf({ catalog, database, fresh }: Parts, beforeInsert?: () => Promise<void>) {
  if (beforeInsert === undefined) return catalog
  const thenWait = async () => {
    const answer = await fresh()
    await beforeInsert()
    return answer
  }
  return databaseCatalog({ database, clock, quota: {}, upToDate: thenWait })
}

export function newUid(number: number): RefUid {
  return asRefUid(`ref${number}`)
}
