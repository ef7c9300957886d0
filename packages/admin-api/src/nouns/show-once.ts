/** The one place where a new hub token becomes text: the answer that shows it, once. */

import { Secret } from '@latchkey/protocol'
import { z } from 'zod'

/** Inside it is a `Secret`; only parsing an answer by its output schema turns it into text. */
export const shownOnce = z
  .custom<Secret<'hub-token'>>((value) => value instanceof Secret && value.kind === 'hub-token')
  .transform((token) => token.reveal())
  .pipe(z.string())
