/** Per key: many share a turn, or one has it alone. */

export interface Turns {
  /** Gives back the turn when called. */
  share(key: string): Promise<() => void>
  alone(key: string): Promise<() => void>
}

interface Line {
  /** Those who have a turn or wait for one. */
  users: number
  /** The end of the turn that was taken last to be had alone. */
  alone: Promise<void>
  /** The ends of those that share the turn after it. */
  shared: Set<Promise<void>>
}

export function turns(): Turns {
  const lines = new Map<string, Line>()
  const enter = (key: string) => {
    const line = lines.get(key) ?? { users: 0, alone: Promise.resolve(), shared: new Set() }
    lines.set(key, line)
    line.users += 1
    const { promise, resolve } = Promise.withResolvers<void>()
    const leave = () => {
      line.shared.delete(promise)
      line.users -= 1
      if (line.users === 0) lines.delete(key)
      resolve()
    }
    return { line, promise, leave }
  }
  return {
    async share(key) {
      const { line, promise, leave } = enter(key)
      line.shared.add(promise)
      await line.alone
      return leave
    },
    async alone(key) {
      const { line, promise, leave } = enter(key)
      const before = [line.alone, ...line.shared]
      line.alone = promise
      line.shared = new Set()
      await Promise.all(before)
      return leave
    },
  }
}
