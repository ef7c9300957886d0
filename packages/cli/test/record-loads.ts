/** Preloaded into a process: writes down every module it loads, Node's own too, and every text it compiles, in the file that LOADS_FILE names. */

import { writeFileSync } from 'node:fs'
import { registerHooks } from 'node:module'

const loads: string[] = []

registerHooks({
  load(url, context, next) {
    loads.push(url)
    return next(url, context)
  },
})

// An empty one is how zod finds out whether it may.
globalThis.Function = new Proxy(Function, {
  construct(target, args, newTarget) {
    if (args.at(-1) !== '') loads.push('compiled:')
    return Reflect.construct(target, args, newTarget)
  },
})

/** `NativeModule tls`; also those that were loaded without an import. */
function loadedOfNode(): string[] {
  const list: readonly string[] = Reflect.get(process, 'moduleLoadList')
  return list
    .flatMap((line) => /^NativeModule (.+)/.exec(line)?.[1] ?? [])
    .map((name) => `node:${name}`)
}

process.once('exit', () =>
  writeFileSync(process.env['LOADS_FILE'] ?? '', [...loads, ...loadedOfNode()].join('\n')),
)
