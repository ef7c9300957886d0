/** Clients of a hub never get an untrue 404: the forge knows every address that they ask for. */

import { readFileSync } from 'node:fs'
import { isRefusal } from '@latchkey/protocol'
import { describe, expect, test } from 'vitest'
import { unservedOfRepo, unservedPaths, unservedViews } from '../../src/addresses/unserved.ts'
import { findForgeRoute } from '../../src/serve/answer-request.ts'

/** Recorded from huggingface_hub 2.4.0, hf and @huggingface/hub 2.17.5, each public function called once. */
const recorded: readonly (readonly [call: string, method: string, path: string])[] = JSON.parse(
  readFileSync(new URL('./client-calls.json', import.meta.url), 'utf8'),
)

/** The hub itself serves them, with and without a forge. */
const ofTheHub: ReadonlySet<string> = new Set([
  '/api/whoami-v2',
  '/.well-known/oauth-authorization-server',
  '/.well-known/openid-configuration',
  '/oauth/device',
  '/oauth/token',
])

/** The rest of the sentence `Latchkey does not support …`; `served` for a route that is served. */
function answerTo(method: string, path: string): string {
  if (ofTheHub.has(path)) return 'served'
  const found = findForgeRoute(method, path)
  if (found === undefined) return 'an untrue 404'
  if (isRefusal(found)) return found.detail
  const { row, address } = found
  if (!('refuse' in row)) return 'served'
  return row.refuse(address).detail.replace(/^Latchkey does not support (.*)\.$/, '$1')
}

describe('an address that a client asks for', () => {
  test('is served, or refused as not supported', () => {
    const answers = recorded.map(([call, method, path]) => [call, path, answerTo(method, path)])
    expect(answers.filter(([, , answer]) => answer === 'an untrue 404')).toEqual([])
    const known = [
      ...unservedPaths.map(([, later]) => later),
      ...Object.values(unservedOfRepo),
      ...Object.values(unservedViews),
      'comments, merges and other changes of a pull request',
      'lists of pull requests and discussions',
      'served',
    ]
    expect(answers.filter(([, , answer = '']) => !known.includes(answer))).toEqual([])
    expect(answers.filter(([, , answer]) => answer === 'served').length).toBeGreaterThan(30)
  })

  test.each([
    ['POST', '/api/collections/acme/set-1/items', 'collections'],
    ['GET', '/api/spaces/acme/demo/runtime', 'running spaces'],
    ['DELETE', '/api/models/acme/bert/like', 'likes'],
    ['GET', '/acme/bert/discussions/1', 'pages of pull requests and discussions'],
    ['GET', '/papers/2501.00001.md', 'papers'],
    ['GET', '/acme/bert/commit/abc', 'served'],
  ])('%s %s is answered with: %s', (method, path, answer) => {
    expect(answerTo(method, path)).toBe(answer)
  })

  test.each([
    '/api/nothing',
    '/api/models/acme/bert/likes',
    '/acme/bert/nothing',
    '/api/organizations/acme/nothing',
    '/api/settings/nothing',
    '/.well-known/nothing',
  ])('%s is absent, since no client knows it', (path) => {
    expect(findForgeRoute('GET', path)).toBeUndefined()
  })
})
