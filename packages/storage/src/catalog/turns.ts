/** One piece of work at a time for each name, in the order in which they came; names do not wait for each other. */

export type InTurn<Name> = <Result>(name: Name, work: () => Promise<Result>) => Promise<Result>

export function turns<Name>(): InTurn<Name> {
  const last = new Map<Name, Promise<unknown>>()
  return (name, work) => {
    const result = (last.get(name) ?? Promise.resolve()).then(work)
    const settled = result.catch(() => {})
    last.set(name, settled)
    void settled.then(() => {
      if (last.get(name) === settled) last.delete(name)
    })
    return result
  }
}
