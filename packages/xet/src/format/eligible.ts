/** Which chunks clients ask for, besides the first of a file: one in 1024, by the last word of its hash. */

export function isEligible(hash: Uint8Array): boolean {
  return hash[24] === 0 && ((hash[25] ?? 0) & 3) === 0
}
