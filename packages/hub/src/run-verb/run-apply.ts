/** Runs `apply`, the one verb that may need several transactions. */

import { interpreted, type Verb, type VerbTable } from '@latchkey/admin-api'
import { isRefusal } from '@latchkey/protocol'
import type { z } from 'zod'
import { applyFile } from '../apply/apply-file.ts'
import type { Applied } from '../apply/planning.ts'
import type { VerbDeps } from './verb-deps.ts'

export async function runApply(
  verb: Verb,
  input: z.output<Verb['input']>,
  { actor: identify, user, requestId, ...work }: VerbDeps,
): Promise<unknown> {
  const { file, prune, dryRun, loseContent } = input as z.output<VerbTable['apply']['input']>
  // The tokens that a dry run plans are none.
  const answerOf = (applied: Applied) =>
    verb.output.parse(dryRun ? { ...applied, dryRun, hubTokens: [] } : applied, interpreted)
  const applied = await applyFile(
    {
      ...work,
      identify,
      originOf: (actor) => ({ verb: verb.words, actor, user, requestId }),
      checkAnswer: answerOf,
    },
    file,
    { prune, dryRun, loseContent },
  )
  return isRefusal(applied) ? applied : answerOf(applied)
}
