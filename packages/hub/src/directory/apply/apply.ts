/** The verb that makes the directory as a file says, whole or not at all. */

import type { Does } from '../nouns/does.ts'
import { applyText, applyValue } from './apply-file.ts'

export const apply: Does<'apply'> = (work, { file, prune }) =>
  typeof file === 'string' ? applyText(work, file, { prune }) : applyValue(work, file, { prune })
