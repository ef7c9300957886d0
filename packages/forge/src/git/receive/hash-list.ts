import type { ObjectHash } from '../objects/object-hash.ts'

const hashBytes = 20

/** Hashes in 20 bytes each, added in their order and found by halves. */
export class HashList {
  #bytes = Buffer.allocUnsafeSlow(1024 * hashBytes)
  #count = 0

  get count(): number {
    return this.#count
  }

  add(hash: ObjectHash): void {
    const at = this.#count * hashBytes
    if (at === this.#bytes.length) {
      const larger = Buffer.allocUnsafeSlow(2 * at)
      this.#bytes.copy(larger)
      this.#bytes = larger
    }
    this.#bytes.write(hash, at, 'hex')
    this.#count += 1
  }

  at(place: number): ObjectHash {
    const start = place * hashBytes
    return this.#bytes.toString('hex', start, start + hashBytes) as ObjectHash
  }

  has(hash: ObjectHash): boolean {
    const key = Buffer.from(hash, 'hex')
    let [low, high] = [0, this.#count]
    while (low < high) {
      const middle = (low + high) >>> 1
      const start = middle * hashBytes
      const order = this.#bytes.compare(key, 0, hashBytes, start, start + hashBytes)
      if (order === 0) return true
      if (order < 0) low = middle + 1
      else high = middle
    }
    return false
  }
}
