/** Where in a file the chunks of a run go, told one after the other: a chunk may go to several places. */

import { Misdelivered } from '../format/misdelivered.ts'
import type { PlannedRun } from './download-plan.ts'

export interface ChunkPlaces {
  /** Of the next chunk, which is so long. */
  next(length: number): readonly number[]
}

/** A term that the next chunk belongs to. */
interface Open {
  next: number
  readonly position: number
  readonly announced: number
  readonly end: number
}

export function chunkPlaces({ run, terms }: PlannedRun): ChunkPlaces {
  let index = run.start
  let begun = 0
  let open: Open[] = []
  const openTerms = () => {
    for (let term = terms[begun]; term?.start === index; term = terms[begun]) {
      const { position, unpackedBytes: announced, end } = term
      open.push({ next: position, position, announced, end })
      begun += 1
    }
  }
  return {
    next(length) {
      openTerms()
      index += 1
      const positions = open.map(({ next }) => next)
      for (const one of open) {
        one.next += length
        refuseOtherLength(one, one.end === index)
      }
      open = open.filter(({ end }) => end > index)
      return positions
    },
  }
}

/** Nothing is ever placed beyond the term that it belongs to. */
function refuseOtherLength({ next, position, announced }: Open, isOver: boolean): void {
  const bytes = next - position
  if (bytes < announced ? !isOver : bytes === announced) return
  throw new Misdelivered(`the storage sent ${bytes} bytes where it announced ${announced}`)
}
