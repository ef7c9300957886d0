/** What every part of the benchmarks is: a name, and a way to get its figures. */

import type { Figure } from './measure/figure.ts'
import type { Options } from './measure/options.ts'

export interface Part {
  readonly name: string
  figures(options: Options): Promise<readonly Figure[]>
}

/** For a part, or a row of it, that something is missing for. */
export function missing(figure: string, anchor: string, what: string, how: string): Figure {
  return { figure, anchor, result: { notMeasured: `${what} is missing; ${how}` } }
}
