/** Which keys came lately: only a key that comes again is worth a place in a cache. */

export interface Sightings {
  /** Notes the key; true if it was noted lately. May take one key for another. */
  note(key: string): boolean
}

/** So many that few keys share one. Keys that share one do not push each other out: both are taken for known. */
const places = 2 ** 20

/** As many as there are answers in the cache. A key is remembered for one generation at least, and two at most. */
const keysOfGeneration = 50_000
const generations = 255

/** They survive a change of the directory: what came often before it is cached at once after it. */
export function sightings(): Sightings {
  const lastSeen = new Uint8Array(places)
  let [generation, previous, noted] = [1, generations, 0]
  return {
    note(key) {
      const place = placeOf(key)
      const last = lastSeen[place]
      if (last === generation) return true
      lastSeen[place] = generation
      noted += 1
      const isKnown = last === previous
      if (noted === keysOfGeneration) {
        noted = 0
        previous = generation
        generation = (generation % generations) + 1
      }
      return isKnown
    },
  }
}

/** FNV-1a, which is quick for short texts; its upper bits are folded in, because the lower ones alone repeat. */
function placeOf(key: string): number {
  let mark = 0x811c9dc5
  for (let index = 0; index < key.length; index += 1) {
    mark = Math.imul(mark ^ key.charCodeAt(index), 0x01000193)
  }
  return (mark ^ (mark >>> 12)) & (places - 1)
}
