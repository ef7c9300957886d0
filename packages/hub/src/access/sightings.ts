export interface Sightings {
  /** Notes the key; true if it was noted lately. May take one key for another. */
  note(key: string): boolean
}

/** In sets of four, so that keys which share a set do not push each other out. */
const places = 2 ** 19
const placesOfSet = 4
const sets = places / placesOfSet

/** As many as there are answers in the cache. A key is remembered for one generation at least, and two at most. */
const keysOfGeneration = 50_000
const generations = 255

/** They survive a change of the directory: what came often before it is cached at once after it. */
export function sightings(): Sightings {
  /** For each place the generation that saw its key, and eight bits of the key's hash. */
  const lastSeen = new Uint8Array(places)
  const marks = new Uint8Array(places)
  let [generation, previous, noted] = [1, generations, 0]
  const noteAt = (place: number, mark: number): void => {
    lastSeen[place] = generation
    marks[place] = mark
    noted += 1
    if (noted < keysOfGeneration) return
    noted = 0
    previous = generation
    generation = (generation % generations) + 1
  }
  return {
    note(key) {
      const hash = hashOf(key)
      const mark = hash >>> 24
      const first = (hash & (sets - 1)) * placesOfSet
      let free: number | undefined
      for (let place = first; place < first + placesOfSet; place += 1) {
        const last = lastSeen[place]
        if (last !== generation && last !== previous) free = place
        else if (marks[place] === mark) {
          if (last === previous) noteAt(place, mark)
          return true
        }
      }
      // A fifth key of a set is taken for known: two that come in turn would otherwise never be cached.
      if (free === undefined) return true
      noteAt(free, mark)
      return false
    },
  }
}

/** FNV-1a, which is quick for short texts; its upper bits are folded in, because the lower ones alone repeat. */
function hashOf(key: string): number {
  let hash = 0x811c9dc5
  for (let index = 0; index < key.length; index += 1) {
    hash = Math.imul(hash ^ key.charCodeAt(index), 0x01000193)
  }
  return hash ^ (hash >>> 12)
}
