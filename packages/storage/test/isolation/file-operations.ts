/** Watches what this process does with files, whoever does it. */

import { createHook } from 'node:async_hooks'

/** The kinds of file operations that were begun while `work` ran, in order. */
export async function fileOperationsDuring(
  work: () => Promise<unknown>,
): Promise<readonly string[]> {
  const begun: string[] = []
  const hook = createHook({
    init(_id, type) {
      if (/^(FSREQ|FILEHANDLE)/.test(type)) begun.push(type)
    },
  })
  hook.enable()
  try {
    await work()
  } finally {
    hook.disable()
  }
  return begun
}
