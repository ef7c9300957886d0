import type { PushCommand, PushReport } from '../git/index.ts'

const atomicFault = 'atomic push failed: another ref of it was refused'

/** Collects what becomes of each ref. A ref without a decision was not changed. */
export class PushOutcome {
  readonly #faults: Map<string, string | undefined>
  readonly #done = new Set<string>()
  readonly #isAtomic: boolean
  #unpackFault: string | undefined

  constructor(commands: readonly PushCommand[], isAtomic: boolean) {
    this.#faults = new Map(commands.map(({ ref }) => [ref, undefined]))
    this.#isAtomic = isAtomic
  }

  refuse(ref: string, fault: string): void {
    this.#faults.set(ref, fault)
  }

  done(ref: string): void {
    this.#done.add(ref)
  }

  /** Refuses the refs that were neither refused nor changed. */
  refuseAll(fault: string): void {
    for (const [ref, before] of this.#faults) {
      if (before === undefined && !this.#done.has(ref)) this.refuse(ref, fault)
    }
  }

  /** Whether no ref is left to change. */
  isOver(left: number): boolean {
    return left === 0 || (this.#isAtomic && this.hasRefused)
  }

  get isAtomic(): boolean {
    return this.#isAtomic
  }

  get hasRefused(): boolean {
    return this.#faults.values().some((fault) => fault !== undefined)
  }

  failed(fault: string): PushReport {
    this.#unpackFault = fault
    this.refuseAll('the objects of the push were refused')
    return this.end()
  }

  end(): PushReport {
    this.refuseAll(this.#isAtomic && this.hasRefused ? atomicFault : 'the ref was not changed')
    const messages = new Set(this.#faults.values().filter((fault) => fault !== undefined))
    if (this.#unpackFault !== undefined) messages.clear()
    return {
      unpackFault: this.#unpackFault,
      faults: this.#faults,
      messages: [...(this.#unpackFault === undefined ? [] : [this.#unpackFault])],
    }
  }
}
