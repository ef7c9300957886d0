/** Runs one verb on the directory, whoever asked for it. */

import { interpreted, type Verb, type VerbTable, type Words } from '@latchkey/admin-api'
import { isRefusal, noJournalNumber } from '@latchkey/protocol'
import type { z } from 'zod'
import { applyFile } from '../apply/apply-file.ts'
import type { ApplyResult } from '../apply/planning.ts'
import type { Put } from '../tables/change.ts'
import type { Transaction } from '../tables/directory.ts'
import {
  administratorsBefore,
  beyondNamespaces,
  refuseBeyondNamespaces,
} from '../verbs/delegation.ts'
import type { Changing, Does } from '../verbs/does.ts'
import { handlers } from './handlers.ts'
import { unlessFull, type VerbDeps } from './verb-deps.ts'

/** The verb's answer as data with new secrets as text, or a refusal. */
export function runVerb(
  verb: Verb,
  input: z.output<Verb['input']>,
  surroundings: VerbDeps,
): Promise<unknown> {
  const run = verb.words === 'apply' ? runApply : runInTransaction
  return unlessFull(() => run(verb, input, surroundings))
}

async function runInTransaction(
  verb: Verb,
  input: z.output<Verb['input']>,
  { directory, actor: identify, user, requestId, first, ...work }: VerbDeps,
): Promise<unknown> {
  const does = (handlers as Readonly<Record<string, DoesAny>>)[verb.words]
  if (does === undefined) throw new Error(`the verb ${verb.words} has no handler`)
  // The answer is made inside the transaction: what cannot be answered has not happened.
  // So is the question who acts: rights that were lost while a body arrived are lost.
  const run = async ({ putAs, ...transaction }: Transaction) => {
    const actor = await identify()
    if (isRefusal(actor)) return actor
    const put = putAs({ verb: verb.words, actor, user, requestId })
    const changing = { ...work, ...transaction, actor, put }
    const refused = await first?.(changing)
    const beyond = refused ?? (await refuseBeyondNamespaces(changing, verb, input))
    if (beyond !== undefined) return beyond
    const refuseLast = await administratorsBefore(changing, input)
    const output = await does(changing, input)
    const last = isRefusal(output) ? undefined : await refuseLast?.(changing.tables)
    if (last !== undefined) return last
    return isRefusal(output) ? output : verb.output.parse(output, interpreted)
  }
  return verb.method === 'GET'
    ? directory.read((tables) => run({ tables, number: noJournalNumber, putAs: onlyLooks }))
    : directory.change(run)
}

type DoesAny = (work: Changing, input: unknown) => ReturnType<Does<Words>>

/** The type of a verb that looks has no way to change; this is for a cast that goes around it. */
function onlyLooks(): Put {
  return async () => {
    throw new Error('a verb that only looks cannot change the directory')
  }
}

/** Runs `apply`, the one verb that may need several transactions. */
async function runApply(
  verb: Verb,
  input: z.output<Verb['input']>,
  { actor: identify, user, requestId, ...work }: VerbDeps,
): Promise<unknown> {
  const { file, prune, dryRun, loseContent } = input as z.output<VerbTable['apply']['input']>
  // The tokens that a dry run plans are none.
  const answerOf = (applied: ApplyResult) =>
    verb.output.parse(dryRun ? { ...applied, dryRun, hubTokens: [] } : applied, interpreted)
  const applied = await applyFile(
    {
      ...work,
      async identify() {
        const actor = await identify()
        if (isRefusal(actor) || actor?.namespaces === undefined) return actor
        return beyondNamespaces(verb, actor)
      },
      originOf: (actor) => ({ verb: verb.words, actor, user, requestId }),
      checkAnswer: answerOf,
    },
    file,
    { prune, dryRun, loseContent },
  )
  return isRefusal(applied) ? applied : answerOf(applied)
}
