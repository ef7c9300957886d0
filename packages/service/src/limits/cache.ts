/** A cache that takes memory as it fills. Once it is full, it forgets values that were not asked for lately. */

export interface CacheBound<Value, Key = string> {
  /** The sizes of all values never add up to more. */
  readonly most: number
  /** Left out, every value counts as one. */
  readonly sizeOf?: (value: Value, key: Key) => number
}

interface Entry<Value> {
  value: Value
  readonly size: number
  /** Asked for since the hand was here last. */
  wasAsked: boolean
}

/** So many entries at most are passed over for one new value: a full pass would block the event loop. */
const maxPassedOver = 10

type NonNullish = NonNullable<unknown>

/**
 * The clock algorithm, also called second chance. A hit is one look-up and moves nothing, unlike LRU. The hand goes over the
 * entries in the order of a Map: an entry that was asked for goes to the end, any other is removed.
 */
export class GrowingCache<Key, Value extends NonNullish> {
  readonly #most: number
  readonly #sizeOf: (value: Value, key: Key) => number
  readonly #entries = new Map<Key, Entry<Value>>()
  #size = 0
  /** Kept between removals: a new iterator would walk over the holes of all entries removed before. */
  #hand: MapIterator<[Key, Entry<Value>]> | undefined

  constructor({ most, sizeOf = () => 1 }: CacheBound<Value, Key>) {
    this.#most = most
    this.#sizeOf = sizeOf
  }

  get(key: Key): Value | undefined {
    const entry = this.#entries.get(key)
    if (entry === undefined) return undefined
    entry.wasAsked = true
    return entry.value
  }

  /** A value that is larger than the whole cache is not kept, and neither is the one before it. */
  set(key: Key, value: Value): void {
    const size = this.#sizeOf(value, key)
    const before = this.#entries.get(key)
    if (before?.size === size) {
      before.value = value
      before.wasAsked = true
      return
    }
    this.delete(key)
    if (size > this.#most) return
    this.#makeRoom(size)
    this.#entries.set(key, { value, size, wasAsked: false })
    this.#size += size
  }

  delete(key: Key): void {
    const entry = this.#entries.get(key)
    if (entry === undefined) return
    this.#entries.delete(key)
    this.#size -= entry.size
    // The hand would keep every table that the Map outgrows meanwhile.
    this.#hand = undefined
  }

  /** Looks at every key: for what happens seldom. */
  deleteWhere(isGone: (key: Key) => boolean): void {
    for (const key of this.#entries.keys()) if (isGone(key)) this.delete(key)
  }

  clear(): void {
    this.#entries.clear()
    this.#size = 0
    this.#hand = undefined
  }

  #makeRoom(size: number): void {
    let passedOver = 0
    while (this.#size + size > this.#most) {
      const [key, entry] = this.#nextEntry()
      this.#entries.delete(key)
      if (entry.wasAsked && passedOver < maxPassedOver) {
        passedOver += 1
        entry.wasAsked = false
        this.#entries.set(key, entry)
      } else {
        this.#size -= entry.size
      }
    }
  }

  #nextEntry(): [Key, Entry<Value>] {
    this.#hand ??= this.#entries.entries()
    const next = this.#hand.next()
    if (next.done !== true) return next.value
    this.#hand = undefined
    return this.#nextEntry()
  }
}
