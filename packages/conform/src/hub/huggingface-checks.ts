/** Checks the parts that only Hugging Face clients need. */

import type { Check } from '../check.ts'
import {
  firstFault,
  type HubRow,
  type HubTarget,
  send,
  tokenPath,
  tokenResponse,
  unlike,
} from './hub-target.ts'

const profiles = ['huggingface'] as const
const clause = 'Options / compat.huggingface serves unmodified Hugging Face clients'

const xetRequest = { path: tokenPath({ word: 'xet' }), as: 'reader/read' } as const

/** One client reads no more of a token response. */
const maxResponseBytes = 10 * 1024

/** With the code by which the Python client chooses its exception. */
const errorRows = [
  [tokenPath({ word: 'xet', id: 'conform/absent' }), 'RepoNotFound'],
  [tokenPath({ word: 'xet', revision: 'absent' }), 'RevisionNotFound'],
] as const

export const huggingfaceChecks: readonly Check<HubTarget>[] = [
  {
    id: 'xet-paths',
    clause,
    profiles,
    title: 'The paths with xet-read-token and xet-write-token serve tokens',
    run: (hub) =>
      firstFault(hub, [
        [xetRequest, '200'],
        [{ path: tokenPath({ word: 'xet', scope: 'write' }), as: 'writer/write' }, '200'],
        [{ path: tokenPath({ word: 'xet', scope: 'write' }), as: 'reader/write' }, '403'],
        [{ path: tokenPath({ word: 'xet' }) }, '401'],
      ]),
  },
  {
    id: 'xet-headers',
    clause,
    profiles,
    title: 'Three headers repeat the token response',
    async run(hub) {
      const response = await tokenResponse(hub, xetRequest)
      const { accessToken, exp, casUrl } = response.members
      const expected = [
        ['x-xet-cas-url', casUrl],
        ['x-xet-access-token', accessToken],
        ['x-xet-token-expiration', exp],
      ] as const
      const wrong = expected.find(([name, value]) => response.headers[name] !== String(value))
      return wrong && unlike(response, `${wrong[0]} with the member of the body`, 'another value')
    },
  },
  {
    id: 'xet-default-branch',
    clause,
    profiles,
    title: 'The revision None is the default branch, also with a query',
    run(hub) {
      const rows = ['None', 'None?create_pr=1', 'main?create_pr=1'].map((revision): HubRow => {
        const path = tokenPath({ word: 'xet', scope: 'write', revision })
        return [{ path, as: 'writer/write' }, '200']
      })
      return firstFault(hub, rows)
    },
  },
  {
    id: 'xet-errors',
    clause,
    profiles,
    title: 'An error is application/json with error, and 404 has X-Error-Code',
    async run(hub) {
      for (const [path, code] of errorRows) {
        const response = await send(hub, { path, as: 'reader/read' })
        const type = response.headers['content-type'] ?? 'none'
        const got = `${response.status} ${response.headers['x-error-code'] ?? 'none'}`
        if (got !== `404 ${code}`) return unlike(response, `404 with X-Error-Code: ${code}`, got)
        if (!/^application\/json(?:;|$)/.test(type)) {
          return unlike(response, 'Content-Type: application/json', type)
        }
        if (typeof response.members['error'] !== 'string') {
          return unlike(response, 'the text member error', 'none')
        }
      }
      return undefined
    },
  },
  {
    id: 'xet-size',
    clause,
    profiles,
    title: 'A token response has at most 10 KiB',
    async run(hub) {
      const response = await tokenResponse(hub, xetRequest)
      const size = response.bytes.length
      return size <= maxResponseBytes
        ? undefined
        : unlike(response, `at most ${maxResponseBytes} bytes`, `${size} bytes`)
    },
  },
  {
    id: 'error-message',
    clause: 'Responses / X-Error-Message has the text that Hugging Face clients expect, in ASCII',
    profiles,
    title: 'A 401 has the text by which clients tell it from an absent repository',
    async run(hub) {
      const rows = [
        [{ path: tokenPath({ word: 'xet' }) }, /^Invalid credentials in Authorization header$/],
        [{ path: tokenPath({ word: 'xet', scope: 'write' }), as: 'reader/write' }, /^[ -~]+$/],
      ] as const
      for (const [request, pattern] of rows) {
        const response = await send(hub, request)
        const message = response.headers['x-error-message'] ?? 'none'
        // Another check reports another status.
        const isError = response.status === 401 || response.status === 403
        if (isError && (!pattern.test(message) || message === 'none')) {
          return unlike(response, `X-Error-Message: ${pattern.source}`, message)
        }
      }
      return undefined
    },
  },
]
