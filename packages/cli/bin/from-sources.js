// The command from its sources, which find those of the other packages.
import { registerHooks } from 'node:module'

registerHooks({
  resolve: (specifier, context, next) =>
    next(specifier, { ...context, conditions: [...context.conditions, '@latchkey/source'] }),
})
await import('../src/main.ts')
