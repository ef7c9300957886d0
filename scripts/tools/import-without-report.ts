/**
 * For workers of vitest. It tells its main process of every import, for which only its watching has a use: thousands of
 * messages while a worker loads. Its hook is left with what it resolves itself, the test files.
 */

import module, { type RegisterHooksOptions, type ResolveHookSync } from 'node:module'

const { registerHooks } = module

module.registerHooks = ({ resolve, ...others }: RegisterHooksOptions) => {
  const resolveOwn: ResolveHookSync = (specifier, context, nextResolve) =>
    resolve !== undefined && specifier.includes('%3Fvitest=')
      ? resolve(specifier, context, nextResolve)
      : nextResolve(specifier, context)
  return registerHooks({ ...others, resolve: resolveOwn })
}
