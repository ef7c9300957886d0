/** Lets work that was begun at the same time go on one after the other, in the order in which it was begun. */

export interface Turn {
  /** Comes back when everything that was begun before is over. */
  readonly comes: Promise<void>
  /** The next one's turn comes; also when this one fails. */
  end(): void
}

export function turns(): () => Turn {
  let last = Promise.resolve()
  return () => {
    const comes = last
    const { promise, resolve } = Promise.withResolvers<void>()
    last = comes.then(() => promise)
    return { comes, end: resolve }
  }
}
