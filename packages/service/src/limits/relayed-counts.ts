/** Hands the counts of each process on to the others. */

import type { Count, Counts } from './exchanged-counts.ts'

export interface CountsRelay {
  /** A process takes part from now on. */
  join(send: (counts: Counts) => void): Member
}

export interface Member {
  tell(counts: Counts): void
  /** What it had open is no longer. */
  leave(): void
}

interface Joined {
  readonly send: (counts: Counts) => void
  readonly open: Map<string, Count>
}

export function relayCounts(): CountsRelay {
  const members = new Set<Joined>()
  const others = (self: Joined) => [...members].filter((member) => member !== self)
  const openElsewhere = (self: Joined, changed: readonly Count[]) =>
    changed.map(([name, key]): Count => {
      const numbers = others(self).map(({ open }) => open.get(idOf(name, key))?.[2] ?? 0)
      return [name, key, numbers.reduce((sum, number) => sum + number, 0)]
    })
  const tellOthers = (self: Joined, { taken, open }: Counts) => {
    for (const other of others(self)) other.send({ taken, open: openElsewhere(other, open) })
  }
  return {
    join(send) {
      const self: Joined = { send, open: new Map() }
      members.add(self)
      const known = others(self).flatMap(({ open }) => [...open.values()])
      if (known.length > 0) send({ taken: [], open: openElsewhere(self, known) })
      return {
        tell(counts) {
          for (const count of counts.open) note(self.open, count)
          tellOthers(self, counts)
        },
        leave() {
          members.delete(self)
          tellOthers(self, { taken: [], open: [...self.open.values()] })
        },
      }
    },
  }
}

function note(open: Map<string, Count>, count: Count): void {
  const [name, key, number] = count
  if (number === 0) open.delete(idOf(name, key))
  else open.set(idOf(name, key), count)
}

function idOf(name: string, key: string): string {
  return `${name} ${key}`
}
