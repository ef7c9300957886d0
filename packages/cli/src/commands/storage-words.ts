/** The words in which storage commands tell people what they found. */

import type { Amount } from '@latchkey/storage/upkeep'
import { tell } from '../output/tell.ts'

/** `1 object`, `2 objects`. */
export function counted(count: number, one: string, many = `${one}s`): string {
  return `${count} ${count === 1 ? one : many}`
}

/** `2 (5000 bytes)`. */
export function amountText({ count, bytes }: Amount): string {
  return count === 0 ? '0' : `${count} (${counted(bytes, 'byte')})`
}

/** Why what is shown may not be what the hub has now. */
export function tellCaution(sentence: string | undefined): void {
  if (sentence !== undefined) tell(`latchkey: ${sentence}`)
}
