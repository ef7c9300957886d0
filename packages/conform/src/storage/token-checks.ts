/** Which tokens a gate accepts, and where it reads them. */

import type { webcrypto } from 'node:crypto'
import type { TokenFlaw } from '@latchkey/gate/testing'
import { type Check, NotApplicable } from '../check.ts'
import type { HeaderLine } from '../wire/raw-request.ts'
import { changedClaim, hmacTokens, otherSpellings, renamedAlgorithms } from './altered-tokens.ts'
import {
  at,
  type ExpectedResponse,
  firstFault,
  type RequestRow,
  type StorageTarget,
  send,
  tokenOf,
} from './storage-target.ts'

const profiles = ['verifier'] as const
const missing: ExpectedResponse = '401 storage_token_missing'
const invalid: ExpectedResponse = '401 storage_token_invalid'

function bearer(...values: readonly string[]): readonly HeaderLine[] {
  return values.map((value) => ['Authorization', value])
}

/** A valid token with one flaw in each of these ways. */
function flawRows(target: StorageTarget, flaws: readonly TokenFlaw[]): readonly RequestRow[] {
  return flaws.map((flaw) => [
    {
      about: `a token: ${flaw}`,
      target: at(target),
      token: tokenOf(target, { flaw }),
    },
    invalid,
  ])
}

function tokenRows(
  target: StorageTarget,
  tokens: readonly (readonly [about: string, token: string])[],
): readonly RequestRow[] {
  return tokens.map(([about, token]) => [
    { about, target: at(target), headers: bearer(`Bearer ${token}`) },
    invalid,
  ])
}

async function publicKeyOf({ hubUrl }: StorageTarget): Promise<webcrypto.JsonWebKey> {
  const response = await fetch(`${hubUrl}/.well-known/jwks.json`)
  const { keys } = (await response.json()) as { readonly keys: readonly webcrypto.JsonWebKey[] }
  const [key] = keys
  if (key === undefined) throw new NotApplicable('the played hub publishes no key')
  return key
}

export const tokenChecks: readonly Check<StorageTarget>[] = [
  {
    id: 'accepts-valid-token',
    clause: 'Keys / JWT libraries verify a token with the published keys, issuer and audience',
    profiles,
    title: 'A valid token is accepted',
    run: (target) =>
      firstFault(target, [
        [{ target: at(target), token: tokenOf(target) }, 'admitted'],
        [
          {
            about: 'a tag',
            target: at(target, undefined, undefined, 'refs/tags/v1'),
            token: tokenOf(target, { ref: 'refs/tags/v1' }),
          },
          'admitted',
        ],
        [
          {
            about: 'a commit',
            target: at(target, undefined, undefined, 'ab'.repeat(20)),
            token: tokenOf(target, { ref: 'ab'.repeat(20) }),
          },
          'admitted',
        ],
      ]),
  },
  {
    id: 'scheme-in-any-case',
    clause:
      'Authentication / 2. The storage request has the accessToken in the Authorization header',
    profiles,
    title: 'The scheme Bearer and the name of the header are read in any case',
    run: (target) => {
      const token = tokenOf(target)
      return firstFault(target, [
        [
          { about: 'scheme in lower case', target: at(target), headers: bearer(`bearer ${token}`) },
          'admitted',
        ],
        [
          { about: 'scheme in upper case', target: at(target), headers: bearer(`BEARER ${token}`) },
          'admitted',
        ],
        [
          {
            about: 'name in lower case',
            target: at(target),
            headers: [['authorization', `Bearer ${token}`]],
          },
          'admitted',
        ],
      ])
    },
  },
  {
    id: 'no-token',
    clause:
      'Authentication / 2. The storage request has the accessToken in the Authorization header',
    profiles,
    title: 'A request without a token gets 401',
    run: (target) =>
      firstFault(target, [
        [{ about: 'no token', target: at(target) }, missing],
        [{ about: 'an empty header', target: at(target), headers: bearer('') }, missing],
        [{ about: 'the scheme Basic', target: at(target), headers: bearer('Basic YTpi') }, missing],
        [{ about: 'the scheme alone', target: at(target), headers: bearer('Bearer') }, invalid],
      ]),
  },
  {
    id: 'token-elsewhere',
    clause:
      'Authentication / 2. The storage request has the accessToken in the Authorization header',
    profiles,
    title: 'A token outside of the Authorization header is not read',
    run: (target) => {
      const token = tokenOf(target)
      return firstFault(target, [
        [{ about: 'in the query', target: `${at(target)}?access_token=${token}` }, missing],
        [
          {
            about: 'in a cookie',
            target: at(target),
            headers: [['Cookie', `access_token=${token}; token=${token}`]],
          },
          missing,
        ],
        [
          {
            about: 'in Proxy-Authorization',
            target: at(target),
            headers: [['Proxy-Authorization', `Bearer ${token}`]],
          },
          missing,
        ],
        [
          { about: 'in X-Access-Token', target: at(target), headers: [['X-Access-Token', token]] },
          missing,
        ],
      ])
    },
  },
  {
    id: 'two-tokens',
    clause:
      'Authentication / 2. The storage request has the accessToken in the Authorization header',
    profiles,
    title: 'A request with two tokens is rejected',
    run: (target) => {
      const [token, other] = [tokenOf(target), tokenOf(target, { scope: 'write' })]
      return firstFault(target, [
        [
          {
            about: 'two Authorization headers',
            target: at(target),
            headers: bearer(`Bearer ${token}`, `Bearer ${other}`),
          },
          invalid,
        ],
        [
          {
            about: 'the same header twice',
            target: at(target),
            headers: bearer(`Bearer ${token}`, `Bearer ${token}`),
          },
          invalid,
        ],
        [
          {
            about: 'Basic before Bearer',
            target: at(target),
            headers: bearer('Basic YTpi', `Bearer ${token}`),
          },
          invalid,
        ],
        [
          {
            about: 'two tokens in one header',
            target: at(target),
            headers: bearer(`Bearer ${token} ${other}`),
          },
          invalid,
        ],
        [
          {
            about: 'two tokens with a comma',
            target: at(target),
            headers: bearer(`Bearer ${token},${other}`),
          },
          invalid,
        ],
      ])
    },
  },
  {
    id: 'signature',
    clause: 'Attacks / 22. An attacker forges a token or changes its spelling or algorithm',
    profiles,
    title: 'A token with a wrong signature is rejected',
    run: (target) => {
      const token = tokenOf(target)
      return firstFault(target, [
        ...flawRows(target, ['forged-signature']),
        ...tokenRows(target, [
          ['another scope under the old signature', changedClaim(token, { scope: 'write' })],
          ['another subject under the old signature', changedClaim(token, { sub: 'root' })],
        ]),
      ])
    },
  },
  {
    id: 'unknown-key',
    clause: 'Attacks / 21. An attacker serves other keys, floods unknown keys or blocks the hub',
    profiles,
    title: 'A token of a key that the hub does not publish is rejected',
    run: (target) => firstFault(target, flawRows(target, ['unknown-key'])),
  },
  {
    id: 'algorithm-none',
    clause: 'Attacks / 22. An attacker forges a token or changes its spelling or algorithm',
    profiles,
    title: 'A token without a signature is rejected',
    run: (target) => firstFault(target, flawRows(target, ['unsigned'])),
  },
  {
    id: 'algorithm-hmac',
    clause: 'Attacks / 22. An attacker forges a token or changes its spelling or algorithm',
    profiles,
    title: 'A token that is signed with the public key as a secret is rejected',
    run: async (target) =>
      firstFault(target, tokenRows(target, hmacTokens(tokenOf(target), await publicKeyOf(target)))),
  },
  {
    id: 'algorithm-of-key',
    clause: 'Attacks / 22. An attacker forges a token or changes its spelling or algorithm',
    profiles,
    title: 'A token that names another algorithm than its key is rejected',
    run: (target) => firstFault(target, tokenRows(target, renamedAlgorithms(tokenOf(target)))),
  },
  {
    id: 'type',
    clause: 'Attacks / 22. An attacker forges a token or changes its spelling or algorithm',
    profiles,
    title: 'A document of another type is no token, although the hub has signed it',
    run: (target) => firstFault(target, flawRows(target, ['other-type'])),
  },
  {
    id: 'critical-header',
    clause: 'Attacks / 22. An attacker forges a token or changes its spelling or algorithm',
    profiles,
    title: 'A token with an unknown critical member in its header is rejected',
    run: (target) => firstFault(target, flawRows(target, ['critical-header'])),
  },
  {
    id: 'embedded-key',
    clause: 'Attacks / 21. An attacker serves other keys, floods unknown keys or blocks the hub',
    profiles,
    title: 'A token that brings its key in its header is rejected',
    run: (target) => firstFault(target, flawRows(target, ['embedded-key'])),
  },
  {
    id: 'one-spelling',
    clause: 'Guarantees / A token has one spelling',
    profiles,
    title: 'Another spelling of a valid token is rejected',
    run: (target) => firstFault(target, tokenRows(target, otherSpellings(tokenOf(target)))),
  },
  {
    id: 'issuer',
    clause: 'Keys / JWT libraries verify a token with the published keys, issuer and audience',
    profiles,
    title: 'A token of another issuer is rejected',
    run: (target) => firstFault(target, flawRows(target, ['other-issuer'])),
  },
  {
    id: 'audience',
    clause: 'Keys / JWT libraries verify a token with the published keys, issuer and audience',
    profiles,
    title: 'A token for another storage is rejected',
    run: (target) => firstFault(target, flawRows(target, ['other-audience'])),
  },
  {
    id: 'expiry',
    clause: 'Lifetime / 1. A token is valid until exp',
    profiles,
    title: 'An expired token is rejected',
    run: (target) => firstFault(target, flawRows(target, ['expired'])),
  },
  {
    id: 'not-yet-valid',
    clause: 'Lifetime / 1. A token is valid until exp',
    profiles,
    title: 'A token that was issued in the future is rejected',
    run: (target) => firstFault(target, flawRows(target, ['not-yet-valid'])),
  },
  {
    id: 'forged-tokens-lock-out-nobody',
    clause: 'Guarantees / Forged tokens do not lock out valid tokens',
    profiles,
    title: 'Many forged tokens from an address do not stop the valid tokens of this address',
    run: async (target) => {
      const forged = {
        about: 'a forged token',
        target: at(target),
        token: tokenOf(target, { flaw: 'forged-signature' }),
      }
      for (let count = 0; count < target.forgedTokens; count++) await send(target, forged)
      const about = `after ${target.forgedTokens} forged tokens`
      return firstFault(target, [
        [{ about, target: at(target), token: tokenOf(target) }, 'admitted'],
      ])
    },
  },
]
