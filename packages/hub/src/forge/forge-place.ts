/** Security boundary: a directory has one forge. Another one, or an older start of the same, changes and reads nothing. */

import { forgeHeader } from '@latchkey/admin-api/forge-codec'
import { idPattern, type Refusal, refuse } from '@latchkey/protocol'
import type { Stopwatch } from '@latchkey/service/machine/time'
import type { Origin } from '../tables/change.ts'
import type {
  BookkeepingTransaction,
  Directory,
  Reading,
  Transaction,
} from '../tables/directory.ts'
import type { ForgeRow } from '../tables/rows.ts'

/** The header of each question has both ids. */
export interface ForgeIdentity {
  /** Made once, in the data directory of the forge. */
  readonly id: string
  /** Differs for each start. */
  readonly start: string
}

export interface ForgePlace {
  /** A claim at another hub counts after a second at most; changes look in their transactions. */
  refuseOther(forge: ForgeIdentity): Promise<Refusal | undefined>
  /** The newest start of the forge serves, the one before no more. Where no forge is recorded, this one is from now on. */
  claim(forge: ForgeIdentity, origin: Omit<Origin, 'verb'>): Promise<Refusal | undefined>
  /** Whose changes are undone where the forge is not the one of the directory any more. */
  directoryFor(forge: ForgeIdentity): Directory
}

export interface ForgePlaceDeps {
  readonly directory: Directory
  readonly stopwatch: Stopwatch
}

const maxAgeMs = 1000

export function forgePlace({ directory, stopwatch }: ForgePlaceDeps): ForgePlace {
  let latest: { readonly forge: Promise<Recorded>; readonly at: number } | undefined
  const recorded = () => {
    if (latest === undefined || stopwatch() - latest.at >= maxAgeMs) {
      const forge = directory.readBeside(findForge)
      latest = { forge, at: stopwatch() }
      forge.catch(() => {
        latest = undefined
      })
    }
    return latest.forge
  }
  return {
    async refuseOther(forge) {
      const refused = refusalFor(forge, await recorded())
      if (refused === undefined || latest?.at === stopwatch()) return refused
      // It may have been adopted a moment ago.
      latest = undefined
      return refusalFor(forge, await recorded())
    },
    async claim({ id, start }, origin) {
      const claimed = await directory.note('forge claim', async (transaction) => {
        const found = await findForge(transaction.tables)
        if (found !== undefined && found.id !== id) return otherForge(id, found.id)
        if (found === undefined) {
          const put = transaction.putAs({ verb: 'link claim', ...origin })
          await put([{ thing: 'forge', after: forgeRow(id) }])
        }
        await noteStart(transaction, start)
        return undefined
      })
      latest = undefined
      return claimed
    },
    directoryFor(forge) {
      const guarded =
        <Result, Work extends Transaction>(
          work: (transaction: Work) => Promise<Result | Refusal>,
        ) =>
        async (transaction: Work) =>
          refusalFor(forge, await findForge(transaction.tables)) ?? work(transaction)
      return {
        ...directory,
        change: (work, numbers) => directory.change(guarded(work), numbers),
        note: (what, work, numbers) => directory.note(what, guarded(work), numbers),
      }
    },
  }
}

/** Undefined where the header is missing or is none that a forge of ours sends. */
export function readForgeHeader(value: string | string[] | undefined): ForgeIdentity | undefined {
  const [id = '', start = '', ...more] = String(value ?? '').split(' ')
  return idPattern.test(id) && idPattern.test(start) && more.length === 0
    ? { id, start }
    : undefined
}

export const noForgeHeader = refuse(
  'bad_request',
  `A forge names itself by its id and the id of its start in the header ${forgeHeader}.`,
)

type Recorded = Pick<ForgeRow, 'id' | 'start'> | undefined

export function findForge(tables: Reading): Promise<ForgeRow | undefined> {
  return tables.selectFrom('forge').selectAll().executeTakeFirst()
}

/** A forge that is recorded has to claim before it serves. */
export function forgeRow(id: string): ForgeRow {
  return { place: 1, id, start: null }
}

async function noteStart({ tables }: BookkeepingTransaction, start: string): Promise<void> {
  await tables.updateTable('forge').set({ start }).execute()
}

function refusalFor(forge: ForgeIdentity, found: Recorded): Refusal | undefined {
  if (found === undefined) return noForge
  if (found.id !== forge.id) return otherForge(forge.id, found.id)
  return found.start === forge.start ? undefined : replaced
}

function otherForge(id: string, recordedId: string): Refusal {
  return refuse(
    'conflict',
    `This hub's database belongs to the forge ${recordedId}, and the one that asks is ${id}. If its data directory takes the place of the other one, for example after a restore, stop the other one and run: latchkey forge adopt ${id}`,
  )
}

const noForge = refuse(
  'conflict',
  "This hub's database has no forge. Restart the one that asks, and it claims the database.",
)

const replaced = refuse(
  'conflict',
  'Another process serves the data directory of this forge since. Stop one of the two; a restart of this one would take over again.',
)
