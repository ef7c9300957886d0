/** Amounts of stored content, in words. */

import type { Amount } from '@latchkey/storage/upkeep'

/** `1 object`, `2 objects`. */
export function counted(count: number, one: string, many = `${one}s`): string {
  return `${count} ${count === 1 ? one : many}`
}

/** `2 (5000 bytes)`. */
export function amountText({ count, bytes }: Amount): string {
  return count === 0 ? '0' : `${count} (${counted(bytes, 'byte')})`
}
