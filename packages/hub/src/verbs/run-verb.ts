/** Runs one verb on the directory, whoever asked for it. */

import { isRefusal, type Refusal, refuse } from '@latchkey/protocol'
import { StorageFull } from '@latchkey/service/database'
import type { z } from 'zod'
import type { Directory, Tables } from '../directory/directory.ts'
import type { VerbWork } from '../directory/operation.ts'
import type { Verb } from '../directory/verb.ts'
import type { Caller } from '../identity/caller.ts'

/** What a verb works with, and the directory that it works on. */
export interface VerbSurroundings extends Omit<VerbWork, 'tables' | 'actor'> {
  readonly directory: Directory
  /** Who acts, asked when the verb runs; undefined for the machine itself. */
  readonly actor: () => Promise<Caller | Refusal | undefined>
}

/** The verb's answer as data with new secrets as text, or a refusal. */
export async function runVerb(
  verb: Verb,
  input: z.output<Verb['input']>,
  { directory, actor: identify, ...work }: VerbSurroundings,
): Promise<unknown> {
  // The answer is made inside the transaction: what cannot be answered has not happened.
  // So is the question who acts: rights that were lost while a body arrived are lost.
  const run = async (tables: Tables): Promise<unknown> => {
    const actor = await identify()
    if (isRefusal(actor)) return actor
    const output = await verb.run({ ...work, actor, tables }, input)
    return isRefusal(output) ? output : verb.output.parse(output)
  }
  try {
    return await (verb.method === 'GET' ? directory.read(run) : directory.change(run))
  } catch (error) {
    if (error instanceof StorageFull) return noRoom()
    throw error
  }
}

/** A full disk is a fact about the machine, not a fault of the service. */
function noRoom(): Refusal {
  return refuse('storage_full', 'There is no room left to write; nothing was changed.')
}
