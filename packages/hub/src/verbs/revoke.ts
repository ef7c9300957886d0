/** Taking storage tokens back before they end; what could be asked for before can be asked for again. */

import type { Revocation } from '@latchkey/admin-api'
import {
  asAccountId,
  asRefUid,
  asRepositoryUid,
  boundsOf,
  formatRepoRef,
  formatTime,
  isRefusal,
  pollPatienceSeconds,
  type Refusal,
  type RepoRef,
  refuse,
  shortRefName,
  type UnixSeconds,
  writtenUid,
} from '@latchkey/protocol'
import {
  type Claims,
  type InvalidToken,
  isRevokedBy,
  type RevocationTarget,
  revocableOf,
} from '@latchkey/token'
import { findCutOffs } from '../revocation/report/find-cut-offs.ts'
import type { CutOffSubject } from '../tables/change.ts'
import type { Reading } from '../tables/directory.ts'
import { findAccount } from './accounts.ts'
import type { Changing, Does } from './does.ts'
import { findHubToken, noHubToken } from './hub-token-view.ts'
import { revokeHubToken } from './hub-tokens.ts'
import { findRefRow } from './ref-rows.ts'
import { findRepositoryByUid, findRepositoryRow } from './repository-rows.ts'

export const revokeToken: Does<'revoke token'> = async (work, { token }) => {
  const { tables, now } = work
  const verified = await work.verifyOwnToken(token, { tables, now })
  if (!verified.ok) return whyNot(verified.reason)
  const { claims, kid } = verified
  const revocable = revocableOf(claims, kid)
  const cuts = await findCutOffs(tables, [revocable])
  if (isRevokedBy(revocable, cuts)) return nothing('This token is revoked already.')
  const { account, repository, ref } = await aboutToken(tables, claims)
  return cut(work, {
    place: { kind: 'token', id: claims.jti },
    about: { account, repository, ref },
    result: {
      what: 'one storage token',
      advice: `The account can get another. To prevent that, revoke the hub token ${claims.client_id}, or remove its permission.`,
      tokenId: claims.jti,
      hubToken: claims.client_id,
      ...(account && { account: account.name }),
      ...(repository && { repository: repository.path }),
      ref: claims.ref.name,
    },
  })
}

export const revokeTokensOfHubToken: Does<'revoke hub-token'> = async (work, { hubToken }) => {
  const found = await findHubToken(work.tables, hubToken)
  if (found === undefined) return noHubToken()
  const done = await revokeHubToken(work, { hubToken })
  if (isRefusal(done)) return done
  const { revoked_at, account, name } = found
  if (revoked_at !== null) {
    const time = formatTime(revoked_at as UnixSeconds)
    return nothing(`This hub token was revoked at ${time}, and its storage tokens with it.`)
  }
  return {
    revoked: true,
    what: `the hub token ${account}/${name} for good, and every storage token that was issued with it`,
    number: work.number,
    bounds: `The hub refuses the hub token at once. ${boundsSentence('its storage tokens')}`,
    account,
    hubToken,
  }
}

export const revokeTokensOfAccount: Does<'revoke account'> = async (work, { account: name }) => {
  const account = await findAccount(work.tables, name)
  if (account === undefined) return unknown(`account "${name}"`, ['account', 'list'])
  return cut(work, {
    place: { kind: 'account', id: account.id },
    about: { account },
    result: {
      what: `every storage token that the account ${account.name} got until now`,
      advice: `The account can still get new storage tokens with its hub tokens. To close it: latchkey account set ${account.name} --disabled`,
      account: account.name,
    },
  })
}

export const revokeTokensOfRepository: Does<'revoke repository'> = async (work, input) => {
  const repository = await findRepositoryRow(work.tables, input.repository)
  if (repository === undefined) return unknownRepository(input.repository)
  return cut(work, {
    place: { kind: 'repository', id: repository.uid },
    about: { repository },
    result: {
      what: `every storage token that was issued for ${repository.path} until now`,
      advice: stillMay,
      repository: repository.path,
    },
  })
}

export const revokeTokensOfRef: Does<'revoke ref'> = async (work, input) => {
  const repository = await findRepositoryRow(work.tables, input.repository)
  if (repository === undefined) return unknownRepository(input.repository)
  const ref = await findRefRow(work.tables, repository.uid, input.ref)
  if (ref === undefined) {
    const name = `ref ${shortRefName(input.ref)} in ${formatRepoRef(input.repository)}`
    return unknown(
      name,
      ['ref', 'list', repository.path],
      ', and write it in full if it is no branch',
    )
  }
  return cut(work, {
    place: { kind: 'ref', id: ref.uid },
    about: { repository, ref },
    result: {
      what: `every storage token that was issued until now and reaches ${shortRefName(ref.name)} of ${formatRepoRef(input.repository)}`,
      advice: stillMay,
      repository: repository.path,
      ref: ref.name,
    },
  })
}

const stillMay =
  'Accounts that have permission can get new storage tokens at once. To prevent that, remove the permission.'

interface Cut {
  readonly place: RevocationTarget
  readonly about: CutOffSubject
  readonly result: Omit<Revocation, 'revoked'>
}

async function cut({ put, number }: Changing, { place, about, result }: Cut): Promise<Revocation> {
  await put([{ thing: 'cut-off', cuts: [place], about }])
  const { what, advice, ...named } = result
  const bounds = boundsSentence('them')
  return { revoked: true, what, number, bounds, advice, ...named }
}

function nothing(what: string): Revocation {
  return { revoked: false, what: `${what} There is nothing to do.` }
}

/** Other verbs advise the caller to create what is not there; creating it revokes nothing. */
function unknown(thing: string, next: readonly string[], how = ''): Refusal {
  const detail = `There is no ${thing}. Check the name${how}; what was deleted has no live tokens.`
  return refuse('resource_not_found', detail, { next })
}

function unknownRepository(repository: RepoRef): Refusal {
  return unknown(`repository ${formatRepoRef(repository)}`, ['repo', 'list'])
}

/** A deleted subject has no row, and so no name. */
async function aboutToken(tables: Reading, { sub, repo, ref }: Claims) {
  const account = await tables
    .selectFrom('accounts')
    .select(['id', 'name'])
    .where('id', '=', asAccountId(sub))
    .executeTakeFirst()
  const repository = await findRepositoryByUid(tables, asRepositoryUid(repo.uid))
  return { account, repository, ref: { uid: writtenUid(asRefUid(ref.uid)), name: ref.name } }
}

function whyNot(reason: InvalidToken): Revocation | Refusal {
  if (reason === 'expired') return nothing('This token has expired.')
  return refuse('bad_request', `The token ${sentenceOf[reason]} Nothing was changed.`, {
    path: 'token',
  })
}

const ofOther =
  'was not signed by this hub: give it to the hub that issued it. Or its key was removed, and then the token is dead already.'

const sentenceOf: Readonly<Record<Exclude<InvalidToken, 'expired'>, string>> = {
  malformed: 'is not a storage token, or not a whole one. Give it as latchkey token printed it.',
  unknown_key: ofOther,
  forged: ofOther,
  wrong_issuer: 'names another hub as its issuer. Give it to the hub that issued it.',
  wrong_audience: ofOther,
  lives_too_long: ofOther,
  not_yet_issued: "lies in the future. Compare the hub's clock with the time.",
}

/** `tokens` names them. */
export function boundsSentence(tokens: string): string {
  const { normalSeconds, withheldSeconds } = boundsOf()
  return [
    `By default, gates and storages reject ${tokens} within ${normalSeconds} s.`,
    `With a longer revocations.pollSeconds, it takes that and ${pollPatienceSeconds} s; without a connection to the hub, ${withheldSeconds} s.`,
    'With revocations.whenStale set to allow, they reject none until they reach the hub.',
  ].join(' ')
}
