/** Notices that the store has changed, before anything cached is used. */

import type { AccessStore } from './access-store.ts'

/**
 * Asks for the version once per turn of the event loop: requests of one turn count as simultaneous. Gives a promise only
 * when the store has to be waited for.
 */
export function watchVersion(
  store: Pick<AccessStore, 'version'>,
  onChange: () => void,
): () => Promise<void> | undefined {
  let known: string | undefined
  let asked: { readonly answer: Promise<void> | undefined } | undefined
  const learn = (version: string): undefined => {
    if (version === known) return
    known = version
    onChange()
  }
  return () => {
    if (asked === undefined) {
      const version = store.version()
      asked = { answer: typeof version === 'string' ? learn(version) : version.then(learn) }
      setImmediate(() => {
        asked = undefined
      })
    }
    return asked.answer
  }
}
