/** Chance turned into choices. */

import type { Chance } from '../chance.ts'

export interface Choices {
  /** From 0 up to, but not including, the bound. */
  below(bound: number): number
  oneOf<Value>(values: readonly Value[]): Value
  isOneIn(count: number): boolean
  /** The text with a stretch of up to three characters taken out, and one of the pieces put in. */
  spliced(text: string, pieces: readonly string[]): string
}

export function choices({ next }: Chance): Choices {
  const below = (bound: number) => Math.floor(next() * bound)
  const oneOf = <Value>(values: readonly Value[]): Value => values[below(values.length)] as Value
  return {
    below,
    oneOf,
    isOneIn: (count) => below(count) === 0,
    spliced(text, pieces) {
      const [at, removed] = [below(text.length + 1), below(4)]
      return text.slice(0, at) + oneOf(pieces) + text.slice(at + removed)
    },
  }
}
