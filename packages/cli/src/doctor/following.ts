/** Whether the embedded storage has followed the hub's journal to its end. */

import { setTimeout as delay } from 'node:timers/promises'
import type { Reading } from '@latchkey/hub/management'
import { CannotStart } from '@latchkey/service/machine/cannot-start'
import { hasCatalog, inspectCatalog } from '@latchkey/storage/upkeep'
import { type Check, everyDatabase } from './basis/check.ts'
import { type Finding, good, skipped, wrong } from './basis/finding.ts'
import type { Installation } from './basis/installation.ts'
import { withStore } from './basis/with-store.ts'

/** A storage that runs hears of an entry within moments. */
const patienceMs = 5000
const pauseMs = 250

export const following: Check = {
  name: 'following',
  databases: everyDatabase,
  look: async (installation) => {
    const { settings, storage, hub, catalogue } = installation
    if (storage === undefined) return []
    if (catalogue === undefined && !hasCatalog(settings.data))
      return [skipped('no storage has run here yet')]
    const answer = await hub()
    const isRunning = answer.kind === 'answers' && answer.storage !== undefined
    return withStore(installation, async (read) => {
      const head = await read(headOf)
      const readState = () =>
        catalogue === undefined ? inFile(settings.data) : inPostgres(catalogue)
      const state = await stateAt(head, readState, isRunning ? patienceMs : 0)
      if (state === undefined) return [skipped('not looked at: the catalogue cannot be read')]
      const { applied = 0, known, lostAt } = state
      const missing = await read((tables) => entriesAfter(tables, applied))
      return [
        distance({ applied, known, head, missing, isRunning }),
        ...(lostAt === undefined ? [] : [missedRemovals]),
      ]
    })
  },
}

type State = Awaited<ReturnType<ReturnType<typeof inspectCatalog>['linkState']>>

async function headOf(tables: Reading): Promise<number> {
  const head = tables.selectFrom('journal_head').select('number')
  return (await head.executeTakeFirstOrThrow()).number
}

/** When it has followed so far, or the time is up. */
async function stateAt(
  head: number,
  readState: () => Promise<State | undefined>,
  waitMs: number,
): Promise<State | undefined> {
  const giveUpAt = performance.now() + waitMs
  for (;;) {
    const state = await readState()
    const isThere = state === undefined || (state.applied ?? 0) >= head
    if (isThere || performance.now() >= giveUpAt) return state
    await delay(pauseMs)
  }
}

/** What is wrong with the catalogue itself is said by its own check. */
async function inFile(data: string): Promise<State | undefined> {
  let catalogue: ReturnType<typeof inspectCatalog> | undefined
  try {
    catalogue = inspectCatalog(data)
    return catalogue.version === catalogue.newestVersion ? await catalogue.linkState() : undefined
  } catch (error) {
    if (error instanceof CannotStart) return undefined
    throw error
  } finally {
    catalogue?.close()
  }
}

/** Of a schema that a storage of this program can use. */
async function inPostgres(ask: NonNullable<Installation['catalogue']>): Promise<State | undefined> {
  const answer = await ask()
  if (answer.kind !== 'answers') return undefined
  const { store, schema } = answer
  const isUsable = schema.isReadable && schema.version === store.newestVersion
  return isUsable && schema.missingTables.length === 0 ? store.linkState() : undefined
}

async function entriesAfter(tables: Reading, number: number): Promise<number> {
  const { count } = await tables
    .selectFrom('journal')
    .select(({ fn }) => fn.countAll<number>().as('count'))
    .where('number', '>', number)
    .executeTakeFirstOrThrow()
  return count
}

interface Distance {
  readonly applied: number
  readonly known: number
  readonly head: number
  readonly missing: number
  readonly isRunning: boolean
}

function distance({ applied, known, head, missing, isRunning }: Distance): Finding {
  if (known > head) {
    return wrong(
      `the storage has heard of entry ${known}, and the journal of the hub ends at ${head}`,
      'An older copy of the database was put back. Use "latchkey restore" with a backup instead.',
    )
  }
  if (applied >= head) return good(`the storage has followed the journal to its end, ${head}`)
  const found = `the storage is ${missing} entries of the journal behind`
  if (!isRunning) return good(`${found}, and follows when it runs`)
  return wrong(
    found,
    'What was removed is still there, and no upload is acknowledged. Its log says why (hub_unreached).',
  )
}

const missedRemovals = wrong(
  'the storage may have missed removals: the hub did not know where it had followed to',
  'The hub was restored, or its journal pruned. Run "latchkey storage reconcile".',
)
