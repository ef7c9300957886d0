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

/** So many places at the front may be empty before the list is copied. */
const maxEmpty = 1000

/** A list that gives its items back in their order. */
export class Fifo<Item> {
  #items: (Item | undefined)[] = []
  #begun = 0

  get size(): number {
    return this.#items.length - this.#begun
  }

  push(item: Item): void {
    this.#items.push(item)
  }

  shift(): Item | undefined {
    const item = this.#items[this.#begun]
    if (this.size === 0) return undefined
    // The item would stay in memory with its place in the list, and outlive the young generation.
    this.#items[this.#begun] = undefined
    this.#begun += 1
    if (this.#begun < maxEmpty) return item
    // In its place: a copy would leave the remaining items in the list before it as well.
    this.#items.copyWithin(0, this.#begun)
    this.#items.length -= this.#begun
    this.#begun = 0
    return item
  }

  clear(): void {
    this.#items = []
    this.#begun = 0
  }
}
