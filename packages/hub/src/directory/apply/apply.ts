/** The verb that makes the directory as a file says, whole or not at all. */

import { isRefusal } from '@latchkey/protocol'
import type { Does } from '../nouns/does.ts'
import { applyText, applyValue } from './apply-file.ts'

export const apply: Does<'apply'> = async (work, { file, prune, dryRun }) => {
  const applied =
    typeof file === 'string'
      ? await applyText(work, file, { prune })
      : await applyValue(work, file, { prune })
  // The transaction is undone, so the tokens that it made are none.
  return isRefusal(applied) || !dryRun ? applied : { ...applied, dryRun, hubTokens: [] }
}
