/** What `latchkey serve` and its workers say to each other. Both are the hub, so that neither checks what the other says. */

import type { HubSettings } from '@latchkey/hub'
import { Secret } from '@latchkey/protocol'
import type { Facts } from '@latchkey/service/http/operations-routes'
import type { Counts } from '@latchkey/service/limits/exchanged-counts'
import type { Measured } from '@latchkey/service/observe/metrics'

/** Everything that a worker is started with. */
export interface WorkerOrder {
  /** From 1 on; one that is started again keeps its number. */
  readonly number: number
  /** The same for all workers. */
  readonly hub: string
  readonly settings: HubSettings
  /** Of the storage that runs beside the hub. */
  readonly credential: Secret<'hub-token'>
}

/** Where a worker listens. */
export interface WorkerAddresses {
  readonly url: string
  readonly operationsUrl: string | undefined
}

/** About one worker, to that worker; or about all of them, to the supervisor. */
export type Question = 'metrics' | 'readiness'

/** All workers as one. */
export interface Readiness {
  readonly isReady: boolean
  readonly facts: Facts
}

interface Ask {
  readonly kind: 'ask'
  readonly id: number
  readonly question: Question
}

interface Answer {
  readonly kind: 'answer'
  readonly id: number
  readonly text: string
}

interface Counted {
  readonly kind: 'counts'
  readonly counts: Counts
}

export type ToWorker =
  | StartMessage
  /** Ends without a request that fails. */
  | { readonly kind: 'drain' }
  /** Ends within the deadline. */
  | { readonly kind: 'stop' }
  | Ask
  | Answer
  | Counted

export type FromWorker =
  /** It listens for messages; nothing is sent before. */
  | { readonly kind: 'here' }
  | ({ readonly kind: 'started' } & WorkerAddresses)
  | { readonly kind: 'cannot-start'; readonly line: string }
  /** The last one: what it has measured until its end. */
  | { readonly kind: 'ends'; readonly measured: Measured }
  | Ask
  | Answer
  | Counted

/** The one message that holds secrets, as it crosses. */
interface StartMessage {
  readonly kind: 'start'
  readonly number: number
  readonly hub: string
  readonly settings: Omit<HubSettings, 'masterKey'>
  readonly masterKey: string | undefined
  readonly passwords: readonly [database: string | undefined, directDatabase: string | undefined]
  readonly credential: string
}

export function startMessage({ number, hub, settings, credential }: WorkerOrder): StartMessage {
  const { masterKey, ...rest } = settings
  const { database, directDatabase } = settings
  return {
    kind: 'start',
    number,
    hub,
    settings: rest,
    masterKey: masterKey?.reveal(),
    passwords: [passwordOf(database), passwordOf(directDatabase)],
    credential: credential.reveal(),
  }
}

export function orderIn(message: StartMessage): WorkerOrder {
  const { number, hub, settings, masterKey, passwords, credential } = message
  const key = masterKey === undefined ? undefined : new Secret('master-key', masterKey)
  const database = withPassword(settings.database, passwords[0])
  const directDatabase =
    settings.directDatabase && withPassword(settings.directDatabase, passwords[1])
  return {
    number,
    hub,
    settings: { ...settings, database, directDatabase, masterKey: key },
    credential: new Secret('hub-token', credential),
  }
}

type Place = HubSettings['database' | 'directDatabase']

function passwordOf(place: Place): string | undefined {
  return typeof place === 'string' ? undefined : place?.password?.reveal()
}

/** A secret does not cross by itself. */
function withPassword<Place>(place: Place, text: string | undefined): Place {
  if (typeof place !== 'object' || place === null) return place
  const password = text === undefined ? undefined : new Secret('database-password', text)
  return { ...place, password }
}
