/** A gate follows its hub: revocations, rotations of keys, and silence. */

import type { RevokeRequest } from '@latchkey/gate/testing'
import type { Check, Fault } from '../check.ts'
import {
  at,
  bert,
  type ExpectedResponse,
  eventually,
  firstFault,
  isAdmitted,
  type StorageTarget,
  send,
  tokenOf,
  waitFor,
} from './storage-target.ts'

const profiles = ['verifier'] as const
const invalid: ExpectedResponse = '401 storage_token_invalid'

interface RevocationCase {
  readonly about: string
  readonly revokedToken: string
  /** Tokens that the revocation does not name. */
  readonly keptTokens: readonly string[]
  readonly request: RevokeRequest
}

/** The revoked token is rejected within the bound; the others stay valid, and so do later tokens. */
async function revocationFault(
  target: StorageTarget,
  { about, revokedToken, keptTokens, request }: RevocationCase,
): Promise<Fault | undefined> {
  const row = (token: string, name: string) => ({ about: name, target: at(target), token })
  const before = await firstFault(target, [[row(revokedToken, `before ${about}`), 'admitted']])
  if (before !== undefined) return before
  target.hub.revoke(request)
  const late = await eventually(
    target,
    [row(revokedToken, `a token after ${about}`), invalid],
    target.maxRevokeSeconds,
  )
  if (late !== undefined) return late
  const others = keptTokens.map(
    (token) => [row(token, `another token after ${about}`), 'admitted'] as const,
  )
  const later = [row(tokenOf(target), `a later token after ${about}`), 'admitted'] as const
  return firstFault(target, request.hubToken === undefined ? [...others, later] : others)
}

export const revocationChecks: readonly Check<StorageTarget>[] = [
  {
    id: 'revoked-token',
    clause:
      'Guarantees / Every gate rejects a revoked token within 9 seconds while the hub responds',
    profiles,
    title: 'A revoked token is rejected within the bound, and no other token',
    run: (target) => {
      const [revokedToken, keptTokens] = [tokenOf(target), [tokenOf(target)]]
      return revocationFault(target, {
        about: 'revoking it',
        revokedToken,
        keptTokens,
        request: { token: revokedToken },
      })
    },
  },
  {
    id: 'revoked-account',
    clause: 'Guarantees / A change revokes exactly the tokens of accounts that lost access',
    profiles,
    title: 'The tokens of a revoked account are rejected, and those of other accounts are not',
    run: (target) =>
      revocationFault(target, {
        about: 'revoking its account',
        revokedToken: tokenOf(target, { account: 'revoked-account' }),
        keptTokens: [tokenOf(target)],
        request: { account: 'revoked-account' },
      }),
  },
  {
    id: 'revoked-hub-token',
    clause: 'Guarantees / A storage token never outlives its hub token',
    profiles,
    title: 'The tokens of a revoked hub token are rejected, and later ones too',
    run: async (target) => {
      const hubToken = 'revoked-hub-token'
      const fault = await revocationFault(target, {
        about: 'revoking its hub token',
        revokedToken: tokenOf(target, { hubToken }),
        keptTokens: [tokenOf(target)],
        request: { hubToken },
      })
      const about = 'a later token of the hub token'
      const later = { about, target: at(target), token: tokenOf(target, { hubToken }) }
      return fault ?? firstFault(target, [[later, invalid]])
    },
  },
  {
    id: 'revoked-in-repository',
    clause: 'Attacks / 48. An attacker continues to use a token after access was removed',
    profiles,
    title: 'The tokens of an account in one repository are rejected, and no others',
    run: (target) =>
      revocationFault(target, {
        about: 'revoking its account in the repository',
        revokedToken: tokenOf(target, { account: 'removed' }),
        keptTokens: [tokenOf(target)],
        request: { account: 'removed', repository: bert },
      }),
  },
  {
    id: 'revoked-namespace',
    clause: 'Attacks / 48. An attacker continues to use a token after access was removed',
    profiles,
    title: 'The tokens of an account in one namespace are rejected, and no others',
    run: (target) =>
      revocationFault(target, {
        about: 'revoking its account in the namespace',
        revokedToken: tokenOf(target, { account: 'left' }),
        keptTokens: [tokenOf(target)],
        request: { account: 'left', namespace: 'conform' },
      }),
  },
  {
    id: 'revoked-ref',
    clause: 'Attacks / 48. An attacker continues to use a token after access was removed',
    profiles,
    title: 'The tokens of a ref are rejected, and later ones are not',
    run: (target) =>
      revocationFault(target, {
        about: 'revoking its ref',
        revokedToken: tokenOf(target),
        keptTokens: [],
        request: { repository: bert, ref: 'main' },
      }),
  },
  {
    id: 'revoked-repository',
    clause: 'Attacks / 48. An attacker continues to use a token after access was removed',
    profiles,
    title: 'The tokens of a repository are rejected, and later ones are not',
    run: (target) =>
      revocationFault(target, {
        about: 'revoking its repository',
        revokedToken: tokenOf(target),
        keptTokens: [],
        request: { repository: bert },
      }),
  },
  {
    id: 'revoked-all',
    clause: 'Attacks / 48. An attacker continues to use a token after access was removed',
    profiles,
    title: 'All tokens are rejected, and later ones are not',
    run: (target) =>
      revocationFault(target, {
        about: 'revoking all tokens',
        revokedToken: tokenOf(target),
        keptTokens: [],
        request: { all: true },
      }),
  },
  {
    id: 'running-transfer',
    clause: 'Guarantees / Revoked access stops tokens, blob URLs and running transfers',
    profiles,
    title: 'A running upload ends when its token is revoked',
    run: async (target) => {
      const token = tokenOf(target, { scope: 'write', account: 'uploader' })
      const over = new AbortController()
      const begun = Promise.withResolvers<void>()
      const headers = [
        ['Authorization', `Bearer ${token}`],
        ['Transfer-Encoding', 'chunked'],
      ] as const
      let hasEnded = false
      const { method = 'PUT', path } = target.files.put('upload', '')
      const request = { method, target: at(target, path), headers }
      const upload = target.client
        .upload(request, begun.resolve, over.signal)
        .then(isAdmitted, () => false)
        .finally(() => {
          hasEnded = true
        })
      try {
        await Promise.race([begun.promise, upload])
        await send(target, { target: at(target), token })
        if (hasEnded) return { skip: 'the storage responds before the upload ends' }
        target.hub.revoke({ account: 'uploader' })
        const work = async () => {
          // A gate that has no timer learns of revocations by requests.
          await send(target, { target: at(target), token })
          return hasEnded ? undefined : true
        }
        const goesOn = await waitFor(target, work, target.maxRevokeSeconds)
        if (goesOn === undefined && !(await upload)) return undefined
        return { expected: 'the end of the upload', got: 'an upload that goes on' }
      } finally {
        over.abort()
      }
    },
  },
  {
    id: 'key-rotation',
    clause: 'Guarantees / Key rotation rejects no valid token',
    profiles,
    title: 'After a rotation, tokens of the old and of the new key are valid',
    run: async (target) => {
      const old = tokenOf(target)
      await target.hub.rotateKey()
      const about = 'a token of the new key'
      const fault = await eventually(
        target,
        [{ about, target: at(target), token: tokenOf(target) }, 'admitted'],
        target.maxRevokeSeconds,
      )
      const older = { about: 'a token of the old key', target: at(target), token: old }
      return fault ?? firstFault(target, [[older, 'admitted']])
    },
  },
  {
    id: 'compromised-key',
    clause: 'Keys / A removed key signs no more tokens',
    profiles,
    title: 'After a compromised key was withdrawn, its tokens are rejected',
    run: async (target) => {
      const old = {
        about: 'a token of the withdrawn key',
        target: at(target),
        token: tokenOf(target),
      }
      const before = await firstFault(target, [[old, 'admitted']])
      if (before !== undefined) return before
      await target.hub.rotateKey({ compromised: true })
      const fault = await eventually(target, [old, invalid], target.maxRevokeSeconds)
      const fresh = { about: 'a token of the new key', target: at(target), token: tokenOf(target) }
      return fault ?? eventually(target, [fresh, 'admitted'], target.maxRevokeSeconds)
    },
  },
  {
    id: 'silent-hub',
    clause: 'Attacks / 21. An attacker serves other keys, floods unknown keys or blocks the hub',
    profiles,
    title: 'A gate whose revocation list is stale rejects requests, until the hub responds again',
    run: async (target) => {
      const token = tokenOf(target)
      const request = { about: 'a silent hub', target: at(target), token }
      const before = await firstFault(target, [[request, 'admitted']])
      if (before !== undefined) return before
      target.hub.withholdRevocations()
      try {
        const fault = await eventually(
          target,
          [request, '503 gate_not_ready'],
          target.maxStaleSeconds,
        )
        if (fault !== undefined) return fault
      } finally {
        target.hub.restoreRevocations()
      }
      const again = {
        about: 'a hub that responds again',
        target: at(target),
        token: tokenOf(target),
      }
      return eventually(target, [again, 'admitted'], target.maxRevokeSeconds)
    },
  },
]
