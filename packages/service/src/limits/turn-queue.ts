/** Queues that give each flow its turn, so that a flow with many items delays only itself. */

/** Takes one item of each flow in turn; the items of one flow stay in their order. Both operations take constant time. */
export class TurnQueue<Item> {
  readonly #flows = new FlowTable<Fifo<Item>>(
    () => new Fifo(),
    ({ size }) => size === 0,
  )
  /** No flow here is empty. */
  readonly #turns = new Fifo<Fifo<Item>>()
  #size = 0

  get size(): number {
    return this.#size
  }

  sizeOf(key: string): number {
    return this.#flows.find(key)?.size ?? 0
  }

  push(key: string, item: Item): void {
    this.#size += 1
    const flow = this.#flows.get(key)
    if (flow.size === 0) this.#turns.push(flow)
    flow.push(item)
  }

  take(): Item | undefined {
    const flow = this.#turns.shift()
    if (flow === undefined) return undefined
    this.#size -= 1
    const item = flow.shift()
    if (flow.size > 0) this.#turns.push(flow)
    return item
  }
}

/** So many flows are kept, in use or not. */
const minKept = 1000

/**
 * Flows by their keys. Unused flows are deleted together, once there are many. A Map from which each was removed at once
 * would grow and shrink all the time, and leave a table behind each time.
 */
export class FlowTable<Flow> {
  readonly #flows = new Map<string, Flow>()
  readonly #newFlow: (key: string) => Flow
  readonly #isUnused: (flow: Flow) => boolean
  #maxKept = minKept

  constructor(newFlow: (key: string) => Flow, isUnused: (flow: Flow) => boolean) {
    this.#newFlow = newFlow
    this.#isUnused = isUnused
  }

  get(key: string): Flow {
    return this.#flows.get(key) ?? this.#add(key)
  }

  find(key: string): Flow | undefined {
    return this.#flows.get(key)
  }

  #add(key: string): Flow {
    if (this.#flows.size >= this.#maxKept) this.#forgetUnused()
    const flow = this.#newFlow(key)
    this.#flows.set(key, flow)
    return flow
  }

  #forgetUnused(): void {
    for (const [key, flow] of this.#flows) if (this.#isUnused(flow)) this.#flows.delete(key)
    this.#maxKept = this.#flows.size * 2 + minKept
  }
}

/** A list takes this many places from its start, and keeps no more once it is empty. */
const keptPlaces = 64

/** A list that gives its items back in their order. */
export class Fifo<Item> {
  /**
   * A ring, whose length is a power of two. An array that grows at its end is copied over and over, and each copy that became
   * old before it was dropped keeps its items in memory until the next full collection.
   */
  #places: (Item | undefined)[] = emptyPlaces(keptPlaces)
  #first = 0
  #size = 0

  get size(): number {
    return this.#size
  }

  push(item: Item): void {
    if (this.#size === this.#places.length) this.#grow()
    this.#places[(this.#first + this.#size) & (this.#places.length - 1)] = item
    this.#size += 1
  }

  shift(): Item | undefined {
    if (this.#size === 0) return undefined
    const item = this.#places[this.#first]
    this.#places[this.#first] = undefined
    this.#first = (this.#first + 1) & (this.#places.length - 1)
    this.#size -= 1
    if (this.#size === 0 && this.#places.length > keptPlaces) this.clear()
    return item
  }

  clear(): void {
    this.#places = emptyPlaces(keptPlaces)
    this.#first = 0
    this.#size = 0
  }

  #grow(): void {
    const before = this.#places
    const places = emptyPlaces<Item>(before.length * 2)
    for (let at = 0; at < this.#size; at += 1) {
      places[at] = before[(this.#first + at) & (before.length - 1)]
    }
    before.fill(undefined)
    this.#places = places
    this.#first = 0
  }
}

function emptyPlaces<Item>(length: number): (Item | undefined)[] {
  return Array<Item | undefined>(length).fill(undefined)
}
