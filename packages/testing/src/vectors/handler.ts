/** The handler that stands behind every gate of these tests: it counts its calls and tells what it heard. */

import type { Admission } from '@latchkey/gate'
import { headerPairs } from '@latchkey/service/http/headers'

export interface Handler {
  /** The value of the `seen` header of its answer. */
  handle(admitted: Admission): string
  /** The same for what comes from a gateway: names and values in turn. */
  handleForwarded(target: string, rawHeaders: readonly string[]): string
  readonly handled: () => number
}

export function countingHandler(): Handler {
  let calls = 0
  return {
    handle({ grant, path, query }) {
      calls += 1
      const { scope, repository, repositoryUid, ref, refUid, subject } = grant
      const seen = { scope, repository, repositoryUid, ref, refUid, subject, gets: path + query }
      return JSON.stringify(seen)
    },
    handleForwarded(target, rawHeaders) {
      calls += 1
      return JSON.stringify({ ...identityIn(rawHeaders), gets: target })
    },
    handled: () => calls,
  }
}

const names: Readonly<Record<string, string>> = {
  'latchkey-scope': 'scope',
  'latchkey-repository': 'repository',
  'latchkey-repository-uid': 'repositoryUid',
  'latchkey-ref': 'ref',
  'latchkey-ref-uid': 'refUid',
  'latchkey-subject': 'subject',
  // Nobody is owed this one.
  authorization: 'token',
}

/** A header that came twice tells both, which is then not what was owed. */
export function identityIn(rawHeaders: readonly string[]): Record<string, string> {
  const identity: Record<string, string> = {}
  for (const [given, value] of headerPairs(rawHeaders)) {
    const name = names[given.toLowerCase().replaceAll('_', '-')]
    if (name === undefined) continue
    identity[name] = identity[name] === undefined ? value : `${identity[name]}, ${value}`
  }
  return identity
}
