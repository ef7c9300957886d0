/** Queues that give each flow its turn, so that a flow with many items delays only itself. */

interface Flow<Item> {
  readonly key: string
  readonly items: Fifo<Item>
}

/** Takes one item of each flow in turn; the items of one flow stay in their order. Both operations take constant time. */
export class TurnQueue<Item> {
  /** No flow here is empty. */
  readonly #flows = new Map<string, Flow<Item>>()
  readonly #turns = new Fifo<Flow<Item>>()
  #size = 0

  get size(): number {
    return this.#size
  }

  push(key: string, item: Item): void {
    this.#size += 1
    const flow = this.#flows.get(key)
    if (flow !== undefined) {
      flow.items.push(item)
      return
    }
    const first = { key, items: new Fifo(item) }
    this.#flows.set(key, first)
    this.#turns.push(first)
  }

  take(): Item | undefined {
    const flow = this.#turns.shift()
    if (flow === undefined) return undefined
    this.#size -= 1
    const item = flow.items.shift()
    if (flow.items.size > 0) this.#turns.push(flow)
    else this.#flows.delete(flow.key)
    return item
  }
}

/** So many places at the front may be empty before the list is copied. */
const maxEmpty = 1000

/** A list that gives its items back in their order. */
export class Fifo<Item> {
  #items: (Item | undefined)[]
  #begun = 0

  constructor(...items: Item[]) {
    this.#items = items
  }

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
    if (this.size === 0) this.#items.length = 0
    else if (this.#begun >= maxEmpty) this.#items = this.#items.slice(this.#begun)
    else return item
    this.#begun = 0
    return item
  }
}
