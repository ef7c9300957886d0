/** Reads cards on the event loop, and so no long ones. */

import { readCard } from '../cards/card.ts'
import type { ReadCard } from './describe-revision.ts'

const maxLength = 64 * 1024

export const readCardHere: ReadCard = async (text) => {
  const read = readCard(text.slice(0, maxLength))
  return 'flaw' in read ? undefined : read
}
