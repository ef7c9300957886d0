import { type Refusal, refuse } from '@latchkey/protocol'
import { StorageFull } from '@latchkey/service/database'
import type { Caller } from '../identity/caller.ts'
import type { Directory } from '../tables/directory.ts'
import type { Changing, Looking } from '../verbs/does.ts'

/** The dependencies of an operation, and the database that it changes. */
export interface VerbDeps extends Omit<Looking, 'tables' | 'actor'> {
  readonly directory: Directory
  /** Finds the caller when the verb runs; undefined for the machine itself. */
  readonly actor: () => Promise<Caller | Refusal | undefined>
  /** The operating system's user, where the machine itself acts. */
  readonly user?: string | undefined
  readonly requestId?: string | undefined
  /** Done in the same transaction before the verb. */
  readonly first?: (work: Changing) => Promise<Refusal | undefined>
}

/** The part that is the same for every call of a running hub. */
export type VerbWork = Omit<VerbDeps, 'actor' | 'now' | 'user' | 'requestId' | 'first'>

export async function unlessFull<Result>(change: () => Promise<Result>): Promise<Result | Refusal> {
  try {
    return await change()
  } catch (error) {
    if (error instanceof StorageFull) return noRoom()
    throw error
  }
}

function noRoom(): Refusal {
  return refuse('storage_full', 'The disk is full; nothing was changed.')
}
