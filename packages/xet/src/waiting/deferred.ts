export interface Deferred<Value> {
  readonly promise: Promise<Value>
  resolve(value: Value): void
  reject(reason: unknown): void
}

/** As `Promise.withResolvers` makes one, which Node has from 22 on. */
export function deferred<Value = void>(): Deferred<Value> {
  const made: Partial<Deferred<Value>> = {}
  const promise = new Promise<Value>((resolve, reject) => Object.assign(made, { resolve, reject }))
  return { ...(made as Deferred<Value>), promise }
}
