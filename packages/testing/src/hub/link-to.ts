/** The link of a storage in this process to the hub of a world, which is asked only when a test says so. */

import { type KeySet, readKeySet } from '@latchkey/gate'
import {
  type HubLink,
  HubLinkError,
  noRevocations,
  type PlaceUid,
  type QuotaStates,
} from '@latchkey/gate/hub-link'
import { type RunningHub, type Store, storeLink } from '@latchkey/hub'
import { journalNumber } from '@latchkey/protocol'

export interface RelayedLink {
  readonly link: HubLink
  /** Takes over what the hub has done since. */
  relay(): Promise<void>
  /** Comes back when the storage has applied what was relayed, and waits for more. */
  caughtUp(): Promise<void>
  /** Answers stay on the way until the call that this gives. */
  hold(): () => void
  /** Every question for changes fails until `mend`: it does not arrive, unless another failure is given. */
  cut(failure?: HubLinkError): CutLink
}

export interface CutLink {
  /** How many questions have failed. */
  failed(): number
  mend(): void
}

interface Entry {
  readonly number: number
  readonly uid: PlaceUid
}

/** Between two relays no statement is run in the hub's database, so tests can count and break those of the storage. */
export async function linkTo({
  hub,
  store,
}: {
  readonly hub: RunningHub
  readonly store: Store
}): Promise<RelayedLink> {
  let keys = await publishedKeys(hub)
  const direct = storeLink(store, { verb: 'link raise-epoch' })
  const removed: Entry[] = []
  const quotas: QuotaStates[] = []
  let { number } = await direct.changes({})
  let relayed = Promise.withResolvers<void>()
  /** What the storage had when it began to wait for more. */
  let applied = -1
  let waiting = Promise.withResolvers<void>()
  let held: Promise<void> | undefined
  let failures = 0
  let failure: HubLinkError | undefined
  return {
    async relay() {
      const answer = await direct.changes({ after: number })
      if (answer.kind !== 'changes') throw new Error('the journal was lost')
      number = answer.number
      for (const uid of answer.removed) removed.push({ number, uid })
      if (answer.quotas !== undefined) quotas.push(answer.quotas)
      relayed.resolve()
      relayed = Promise.withResolvers()
    },
    async caughtUp() {
      while (applied < number) await waiting.promise
    },
    hold() {
      const { promise, resolve } = Promise.withResolvers<void>()
      held = promise
      return () => {
        held = undefined
        resolve()
      }
    },
    cut(given = new HubLinkError('the hub cannot be reached')) {
      failure = given
      failures = 0
      return {
        failed: () => failures,
        mend() {
          failure = undefined
        },
      }
    },
    link: {
      ...direct,
      keys: {
        known: () => keys,
        // A test that passes months gets tokens of a new key as soon as the hub rotates, which it does in real time.
        async refresh() {
          keys = await publishedKeys(hub)
          return true
        },
      },
      revocations: noRevocations,
      async changes({ after = number, waitSeconds = 0, signal }) {
        if (failure !== undefined) {
          failures += 1
          throw failure
        }
        if (waitSeconds > 0 && number <= after) {
          applied = after
          waiting.resolve()
          waiting = Promise.withResolvers()
          const aborted = Promise.withResolvers<void>()
          signal?.addEventListener('abort', () => aborted.resolve())
          await Promise.race([relayed.promise, aborted.promise])
        }
        const uids = removed.filter((entry) => entry.number > after).map(({ uid }) => uid)
        const states = quotas.filter((state) => state.number > after)
        const answer = {
          ...(states.length > 0 && { quotas: merged(states) }),
          ...{ kind: 'changes' as const, removed: uids, isComplete: true },
          number: journalNumber(number),
        }
        await held
        return answer
      },
    },
  }
}

function merged(states: readonly QuotaStates[]): QuotaStates {
  return {
    number: Math.max(...states.map(({ number }) => number)),
    repositories: [
      ...new Map(
        states.flatMap(({ repositories }) => repositories.map((one) => [one.repository, one])),
      ).values(),
    ],
    namespaces: [
      ...new Map(
        states.flatMap(({ namespaces }) => namespaces.map((one) => [one.namespace, one])),
      ).values(),
    ],
  }
}

async function publishedKeys({ url }: RunningHub): Promise<KeySet> {
  const published = await fetch(`${url}/.well-known/jwks.json`)
  return readKeySet(await published.json())
}
