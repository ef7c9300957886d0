/** The things that a test can revoke at a fake hub, each as the target of a journal entry. */

import { type OptionTypes, refuseOptions } from '@latchkey/protocol'
import type { RevocationTarget } from '@latchkey/token'
import type { HubPlaces } from './hub-places.ts'

/** One token, or all that name a thing and were made before. */
export interface RevokeRequest {
  /** A storage token of this hub. */
  readonly token?: string
  readonly hubToken?: string
  /** Alone, or with `repository` or `namespace`. */
  readonly account?: string
  readonly namespace?: string
  /** Alone, with `account`, or with `ref`. */
  readonly repository?: string
  readonly ref?: string
  readonly all?: boolean
}

const requestTypes: OptionTypes<RevokeRequest> = {
  ...{ token: 'string', hubToken: 'string', account: 'string', namespace: 'string' },
  ...{ repository: 'string', ref: 'string', all: 'boolean' },
}

/** Tokens and hub tokens never become good again. */
export interface Revocation {
  readonly target: RevocationTarget
  readonly isFinal: boolean
}

export function revocationOf(request: RevokeRequest, places: HubPlaces): Revocation {
  refuseOptions('revoke', request, requestTypes)
  const names = Object.entries(request).flatMap(([name, value]) =>
    value === undefined ? [] : [name],
  )
  const make = revocations[names.sort().join('+')]
  if (make === undefined || request.all === false) {
    throw new TypeError(
      `revoke takes one of ${Object.keys(revocations).join(', ')}, and got ${names.join('+') || 'nothing'}.`,
    )
  }
  const {
    token = '',
    hubToken = '',
    account = '',
    namespace = '',
    repository = '',
    ref = '',
  } = request
  return make({ token, hubToken, account, namespace, repository, ref }, places)
}

type RevokeNames = Required<Omit<RevokeRequest, 'all'>>

/** By the names of the members that a request has, in the order of the alphabet. */
const revocations: Readonly<Record<string, (names: RevokeNames, places: HubPlaces) => Revocation>> =
  {
    token: ({ token }) => final('token', tokenIdOf(token)),
    hubToken: ({ hubToken }) => final('hub-token', hubToken),
    account: ({ account }) => passing('account', account),
    'account+repository': ({ account, repository }, places) =>
      passing('account+repository', `${account}/${places.repositoryUid(repository)}`),
    'account+namespace': ({ account, namespace }) =>
      passing('account+namespace', `${account}/${namespace}`),
    repository: ({ repository }, places) => passing('repository', places.repositoryUid(repository)),
    'ref+repository': ({ ref, repository }, places) =>
      passing('ref', places.refUid(repository, ref)),
    all: () => passing('all', ''),
  }

function final(kind: RevocationTarget['kind'], id: string): Revocation {
  return { target: { kind, id }, isFinal: true }
}

function passing(kind: RevocationTarget['kind'], id: string): Revocation {
  return { target: { kind, id }, isFinal: false }
}

function tokenIdOf(token: string): string {
  try {
    const [, payload = ''] = token.split('.')
    const { jti } = Object(JSON.parse(Buffer.from(payload, 'base64url').toString()))
    if (typeof jti === 'string') return jti
  } catch {
    // The error below says the same.
  }
  throw new TypeError('token of revoke is no storage token. Pass the text that token() gave.')
}
