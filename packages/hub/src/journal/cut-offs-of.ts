/** Which storage tokens a change ends: the smallest kind of cut-off that covers everybody who may do less after it. */

import type { JournalNumber } from '@latchkey/protocol'
import {
  type CutOffPlace,
  forEver,
  largestLeewaySeconds,
  longestLifeSeconds,
} from '@latchkey/token'
import { grantsNarrow } from '../permission/compare-reach.ts'
import type { Change, CommitChange } from '../tables/change.ts'
import type { HubTokenRow } from '../tables/rows.ts'
import type { Beginning } from './append-entries.ts'
import { narrows } from './narrows.ts'

/** The longest lifetime that can be configured, and the largest leeway of a gate. */
const longestTokenMs = (longestLifeSeconds + largestLeewaySeconds) * 1000

export interface CutOff extends CutOffPlace {
  /** Tokens with a lower `as_of` are dead. */
  readonly number: JournalNumber
}

/** All of a transaction have its first number: no token was decided between its entries. */
export async function cutOffsOf(
  change: Change,
  { number, milliseconds }: Beginning,
  refsOfCommit: (change: CommitChange) => Promise<readonly string[]>,
): Promise<readonly CutOff[]> {
  const at = (places: readonly CutOffPlace[], below = number) =>
    places.map(({ kind, id }) => ({ kind, id, number: below }))
  if (!narrows(change)) return []
  switch (change.thing) {
    case 'account': {
      const { before, after } = change
      // Storage tokens do not come from the right to administer.
      const isClosed = before !== undefined && after?.disabled !== 0
      return isClosed ? at([{ kind: 'account', id: before.id }]) : []
    }
    case 'member': {
      const { account, namespace } = change
      return at([{ kind: 'account+namespace', id: `${account.id}/${namespace.name}` }])
    }
    case 'collaborator': {
      const { account, repository } = change
      return at([{ kind: 'account+repository', id: `${account.id}/${repository.uid}` }])
    }
    case 'repository':
      return at(idsOf('repository', change.before?.uid))
    case 'ref':
      return at(idsOf('ref', change.before?.uid))
    case 'commit':
      return at((await refsOfCommit(change)).map((id) => ({ kind: 'ref', id })))
    case 'hub-token':
      return ofHubToken(change, at, milliseconds)
    case 'key': {
      // Nothing is signed with a key that was never active.
      const isUsed = change.before?.activated_at !== null
      return isUsed ? at(idsOf('key', change.before?.kid), forEver) : []
    }
    case 'cut-off':
      return change.cuts.flatMap((cut) => at([cut], isFinal(cut) ? forEver : number))
    // A namespace is empty when it goes.
    case 'namespace':
    case 'prefix':
    case 'hub':
      return []
  }
}

/** Neither a token nor a key comes back. */
function isFinal({ kind }: CutOffPlace): boolean {
  return kind === 'token' || kind === 'key'
}

function idsOf(kind: CutOffPlace['kind'], id: string | undefined): readonly CutOffPlace[] {
  return id === undefined ? [] : [{ kind, id }]
}

interface HubTokenRows {
  readonly before?: HubTokenRow | undefined
  readonly after?: HubTokenRow | undefined
}

function ofHubToken(
  { before, after }: HubTokenRows,
  at: (places: readonly CutOffPlace[], below?: JournalNumber) => readonly CutOff[],
  now: number,
): readonly CutOff[] {
  if (before === undefined || asksForNoTokens.includes(before.kind)) return []
  const place = idsOf('hub-token', before.id)
  if (after === undefined || after.revoked_at !== null) return at(place, forEver)
  return carriesLess(before, after) || endsSooner(before, after, now) ? at(place) : []
}

const asksForNoTokens: readonly string[] = ['admin', 'storage']

function carriesLess(before: HubTokenRow, after: HubTokenRow): boolean {
  return grantsNarrow(JSON.parse(before.grants), JSON.parse(after.grants))
}

/** An end that lies further ahead than any storage token lives ends none of them. */
function endsSooner(before: HubTokenRow, after: HubTokenRow, now: number): boolean {
  const never = Number.POSITIVE_INFINITY
  const end = (after.expires_at ?? never) * 1000
  return end < (before.expires_at ?? never) * 1000 && end < now + longestTokenMs
}
