/** Whether the embedded storage has followed the hub's journal to its end. */

import { setTimeout as delay } from 'node:timers/promises'
import {
  type Check,
  type Finding,
  goodFinding,
  skippedFinding,
  wrongFinding,
} from '@latchkey/service/checks'
import { CannotStart } from '@latchkey/service/machine/errors'
import { hasCatalog, inspectCatalog } from '../catalog/catalog-database.ts'
import type { LinkState } from '../catalog/link-state.ts'
import type { StorageInstallation } from './installation.ts'

/** A storage that runs hears of an entry within moments. */
const patienceMs = 5000
const pauseMs = 250

export const following: Check<StorageInstallation> = {
  name: 'following',
  run: async ({ storage, catalogue, isStorageRunning, withJournal }) => {
    if (storage === undefined) return []
    const { data } = storage
    if (catalogue === undefined && !hasCatalog(data))
      return [skippedFinding('no storage has run here yet')]
    const isRunning = await isStorageRunning()
    return withJournal(async (journal) => {
      const head = await journal.head()
      const readState = () => (catalogue === undefined ? inFile(data) : inPostgres(catalogue))
      const state = await stateAt(head, readState, isRunning ? patienceMs : 0)
      if (state === undefined)
        return [skippedFinding('not looked at: the catalogue cannot be read')]
      const { applied = 0, knownNumber, lostAt } = state
      const missing = await journal.countAfter(applied)
      return [
        distance({ applied, knownNumber, head, missing, isRunning }),
        ...(lostAt === undefined ? [] : [missedRemovals]),
      ]
    })
  },
}

/** When it has followed so far, or the time is up. */
async function stateAt(
  head: number,
  readState: () => Promise<LinkState | undefined>,
  waitMs: number,
): Promise<LinkState | undefined> {
  const giveUpAt = performance.now() + waitMs
  for (;;) {
    const state = await readState()
    const isThere = state === undefined || (state.applied ?? 0) >= head
    if (isThere || performance.now() >= giveUpAt) return state
    await delay(pauseMs)
  }
}

/** A separate check reports what is wrong with the catalogue itself. */
async function inFile(data: string): Promise<LinkState | undefined> {
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

/** Reads a schema that a storage of this program can use. */
async function inPostgres(
  ask: NonNullable<StorageInstallation['catalogue']>,
): Promise<LinkState | undefined> {
  const answer = await ask()
  if (answer.kind !== 'answers') return undefined
  const { store, schema } = answer
  const isUsable = schema.isReadable && schema.version === store.newestVersion
  return isUsable && schema.missingTables.length === 0 ? store.linkState() : undefined
}

interface Distance {
  readonly applied: number
  readonly knownNumber: number
  readonly head: number
  readonly missing: number
  readonly isRunning: boolean
}

function distance({ applied, knownNumber, head, missing, isRunning }: Distance): Finding {
  if (knownNumber > head) {
    return wrongFinding(
      `the storage has heard of entry ${knownNumber}, and the journal of the hub ends at ${head}`,
      'An older copy of the database was put back. Use "latchkey restore" with a backup instead.',
    )
  }
  if (applied >= head)
    return goodFinding(`the storage has followed the journal to its end, ${head}`)
  const found = `the storage is ${missing} entries of the journal behind`
  if (!isRunning) return goodFinding(`${found}, and follows when it runs`)
  return wrongFinding(
    found,
    'Deleted content is still there, and the storage acknowledges no upload. Its log says why (hub_unreachable).',
  )
}

const missedRemovals = wrongFinding(
  'the storage may have missed removals: the hub did not know where it had followed to',
  'The hub was restored, or its journal pruned. Run "latchkey storage reconcile".',
)
