/** Replaces functions of a module of Node for everybody in this process. */

import { syncBuiltinESMExports } from 'node:module'

/** Takes the default export of the module, and gives what puts the functions back. */
export function replaceBuiltin<Module extends object>(
  module: Module,
  functions: { readonly [Name in keyof Module]?: unknown },
): () => void {
  const names = Object.keys(functions) as (keyof Module)[]
  const kept = Object.fromEntries(names.map((name) => [name, module[name]]))
  const put = (those: object) => {
    Object.assign(module, those)
    syncBuiltinESMExports()
  }
  put(functions)
  return () => put(kept)
}
