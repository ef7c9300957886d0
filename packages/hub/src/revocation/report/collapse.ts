/** Chooses the cut-offs for storage tokens: each by its id, or all of a hub token where there are many. */

import type { HubTokenId, UnixSeconds } from '@latchkey/protocol'
import { GrowingCache } from '@latchkey/service/limits/growing-cache'
import type { CutOffPlace, Revocable } from '@latchkey/token'

/** With more, every storage token of the hub token until now ends; the hub token itself stays. */
const mostOfOneHubToken = 20

/** As long as cut-offs are kept, and a little more. */
const rememberedSeconds = 26 * 3600
const mostRemembered = 10_000

interface CutAlready {
  readonly count: number
  readonly since: UnixSeconds
}

export interface Collapse {
  choose(tokens: readonly Revocable[], now: UnixSeconds): readonly CutOffPlace[]
  /** Called when they are written. */
  remember(tokens: readonly Revocable[], now: UnixSeconds): void
}

/** Without it, the owner of one hub token could fill the list with thousands of tokens, one report after the other. */
export function collapse(): Collapse {
  const cutAlready = new GrowingCache<HubTokenId, CutAlready>({ most: mostRemembered })
  const cutBefore = (id: HubTokenId, now: UnixSeconds): CutAlready => {
    const known = cutAlready.get(id)
    const isRecent = known !== undefined && now - known.since <= rememberedSeconds
    return isRecent ? known : { count: 0, since: now }
  }
  return {
    choose: (tokens, now) =>
      Array.from(byHubToken(tokens)).flatMap(([id, own]): readonly CutOffPlace[] => {
        const isMany = cutBefore(id, now).count + own.length > mostOfOneHubToken
        if (isMany) return [{ kind: 'hub-token', id }]
        return own.map(({ tokenId }) => ({ kind: 'token', id: tokenId }))
      }),
    remember(tokens, now) {
      for (const [id, own] of byHubToken(tokens)) {
        const { count, since } = cutBefore(id, now)
        cutAlready.set(id, { count: count + own.length, since })
      }
    },
  }
}

function byHubToken(tokens: readonly Revocable[]): Map<HubTokenId, Revocable[]> {
  return Map.groupBy(tokens, ({ hubToken }) => hubToken)
}
