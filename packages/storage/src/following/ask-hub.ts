/** Asks the hub what its journal has that the catalog does not, and applies it. */

import {
  type HubChanges,
  type HubLink,
  HubLinkError,
  type UnknownCursor,
} from '@latchkey/gate/hub-link'
import {
  type Clock,
  isFuture,
  type JournalNumber,
  journalNumber,
  noJournalNumber,
  type UnixSeconds,
} from '@latchkey/protocol'
import { oneInFlight } from '@latchkey/service/limits/turns'
import type { CatalogDatabase } from '../catalog/catalog-database.ts'
import { type LinkState, readLinkState } from '../catalog/link-state.ts'
import { applyAnswer } from './apply-answer.ts'
import { readAllQuotas } from './read-all-quotas.ts'

export interface Following {
  readonly link: HubLink
  readonly database: CatalogDatabase
  readonly clock: Clock
  /** Told of every answer, after it was applied. */
  readonly onAnswer?: (answer: HubChanges | UnknownCursor) => void
}

/**
 * Gives a number that the journal had reached when the question was sent, and which is applied by now. Every entry that was
 * made before the call is at or below it. Rejects with `HubLinkError`.
 */
export type AskHub = () => Promise<JournalNumber>

export function askHub(following: Following): AskHub {
  return oneInFlight(async () => {
    for (;;) {
      const answer = await askOnce(following)
      if (answer.kind === 'changes' && answer.isComplete) return answer.number
    }
  })
}

/** One question and its answer; with `waitSeconds` the hub answers when there is something. */
export async function askOnce(
  { link, database, clock, onAnswer }: Following,
  waiting: { readonly waitSeconds?: number; readonly signal?: AbortSignal } = {},
): Promise<HubChanges | UnknownCursor> {
  const state = await database.read(readLinkState)
  const { applied: after } = state
  const highestNumber = highestKnown(state, { revocations: link.revocations, now: clock() })
  const answer = await link.changes({
    ...waiting,
    ...(after === undefined ? {} : { after }),
    ...(highestNumber > (after ?? noJournalNumber) ? { known: highestNumber } : {}),
  })
  refuseFuture(answer.number, clock())
  await applyAnswer(database, answer, clock)
  const mayLackQuotas = after === undefined || state.quotasAfter !== undefined
  if (mayLackQuotas && answer.kind === 'changes' && answer.isComplete) {
    await readAllQuotas({ link, database }, waiting)
  }
  onAnswer?.(answer)
  return answer
}

interface HeardHead {
  readonly revocations: Pick<HubLink['revocations'], 'latest'>
  readonly now: UnixSeconds
}

/** The hub has signed both: the tokens that named a number, and the head of its revocation list. */
function highestKnown({ knownNumber }: LinkState, { revocations, now }: HeardHead): JournalNumber {
  const seq = journalNumber(revocations.latest()?.seq ?? noJournalNumber)
  return seq > knownNumber && !isFuture(seq, now) ? seq : knownNumber
}

function refuseFuture(number: JournalNumber, now: UnixSeconds): void {
  if (!isFuture(number, now)) return
  throw new HubLinkError(
    "the hub's journal is more than a day ahead of this machine's clock; set the clocks of both, or name the right hub",
  )
}
