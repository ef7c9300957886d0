/** How many of something there are, and what they take. */

export interface Amount {
  readonly count: number
  readonly bytes: number
}

export const nothing: Amount = { count: 0, bytes: 0 }

export function plus(one: Amount, other: Amount): Amount {
  return { count: one.count + other.count, bytes: one.bytes + other.bytes }
}

export function minus(one: Amount, other: Amount): Amount {
  return { count: one.count - other.count, bytes: one.bytes - other.bytes }
}

export function sumOf(sizes: Iterable<number>): Amount {
  let sum = nothing
  for (const bytes of sizes) sum = plus(sum, { count: 1, bytes })
  return sum
}
