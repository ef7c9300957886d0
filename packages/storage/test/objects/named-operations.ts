/** Watches which file operations this process begins, by their names. */

import fs from 'node:fs'
import { syncBuiltinESMExports } from 'node:module'

const watched = ['mkdir', 'open', 'readdir', 'rename', 'rm', 'stat', 'unlink'] as const

/** The operations that were begun while `work` ran, in order, which it can look at; `sync` is that of an opened file or folder. */
export async function namedOperationsDuring(
  work: (begun: readonly string[]) => Promise<unknown>,
): Promise<readonly string[]> {
  const begun: string[] = []
  const handle = await fs.promises.open('.', 'r')
  await handle.close()
  const targets: readonly [object, readonly string[]][] = [
    [fs.promises, watched],
    [Object.getPrototypeOf(handle), ['sync', 'datasync']],
  ]
  const undo = targets.flatMap(([target, names]) => names.map((name) => watch(target, name, begun)))
  syncBuiltinESMExports()
  try {
    await work(begun)
  } finally {
    for (const step of undo) step()
    syncBuiltinESMExports()
  }
  return begun
}

function watch(target: object, name: string, begun: string[]): () => void {
  const original = Reflect.get(target, name)
  Reflect.set(target, name, function (this: unknown, ...given: unknown[]) {
    begun.push(name)
    return Reflect.apply(original, this, given)
  })
  return () => void Reflect.set(target, name, original)
}
