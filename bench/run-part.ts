/** The process of one part, so that no part meets the memory, the pinning or the remains of another. */

import type { Figure } from './measure/figure.ts'
import { readOptions } from './measure/options.ts'
import { parts } from './parts.ts'

export type PartMessage = { readonly figures: readonly Figure[] } | { readonly failed: string }

const [name = '', ...words] = process.argv.slice(2)
const options = readOptions(words, process.env)

/** Processes that a part has forked end when this one does. */
function end(message: PartMessage): void {
  process.send?.(message, () => process.exit())
}

try {
  const part = await parts[name]?.()
  if (part === undefined) throw new Error(`there is no part ${name}`)
  end({ figures: await part.figures(options) })
} catch (error) {
  console.error(error)
  end({ failed: error instanceof Error ? error.message : String(error) })
}
