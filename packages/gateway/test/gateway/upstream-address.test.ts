/** The path below which a gateway asks its storage names repository and ref, unless the operator has said who isolates. */

import type { Grant } from '@latchkey/gate'
import { describe, expect, test } from 'vitest'
import { upstreamAddress } from '../../src/gateway/upstream-address.ts'

const grantOf = (repositoryUid: string, refUid: string) => ({ repositoryUid, refUid }) as Grant

describe('a gateway', () => {
  test.each([
    ['http://127.0.0.1:9000/bucket', "'http://127.0.0.1:9000/bucket/{repo}/{ref}'"],
    ['http://127.0.0.1:9000/bucket/{repo}', "'http://127.0.0.1:9000/bucket/{repo}/{ref}'"],
    ['http://127.0.0.1:9000/{ref}', "'http://127.0.0.1:9000/{repo}/{ref}'"],
    ['unix:/run/storage.sock', "'unix:/run/storage.sock:/{repo}/{ref}'"],
  ])('does not start with %s alone, and says what to write', (upstream, proposal) => {
    expect(() => upstreamAddress(upstream, undefined)).toThrow(`Write --upstream ${proposal}`)
    for (const isolation of ['upstream', 'none'] as const) {
      expect(() => upstreamAddress(upstream, isolation)).not.toThrow()
    }
  })

  test.each(['http://127.0.0.1/a-{repo}/{ref}', 'http://127.0.0.1/{repo}{ref}'])(
    'does not start with %s: ids that share a segment could be taken for each other',
    (upstream) => {
      expect(() => upstreamAddress(upstream, undefined)).toThrow('must each be a whole segment')
    },
  )

  test('keeps every id in a segment of its own', () => {
    const { basePathOf } = upstreamAddress('http://127.0.0.1/b/{repo}/{ref}', undefined)
    const ids = ['a', 'a/b', '..', '.', '=..', '%2e%2e', 'ä', 'a?b', 'a#b', 'a\\b', '{ref}', '$&']
    const pairs = ids.flatMap((repo) => ids.map((ref) => [repo, ref] as const))
    const paths = pairs.map(([repo, ref]) => basePathOf(grantOf(repo, ref)))
    for (const path of paths) {
      expect(new URL(`http://127.0.0.1${path}`).pathname).toBe(path)
      expect(path.split('/')).toHaveLength(4)
    }
    expect(new Set(paths).size).toBe(pairs.length)
  })
})
