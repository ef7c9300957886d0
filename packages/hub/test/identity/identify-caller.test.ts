/** Whether a stored hub token still speaks for its account, and what a stranger is told. */

import {
  asAccountId,
  asHubTokenId,
  type Refusal,
  refuse,
  type UnixSeconds,
  unixSeconds,
} from '@latchkey/protocol'
import { describe, expect, test } from 'vitest'
import type { CallerRecord } from '../../src/identity/caller.ts'
import { makeHubToken } from '../../src/identity/hub-token.ts'
import {
  identifyCaller,
  invalidHubToken,
  missingHubToken,
} from '../../src/identity/identify-caller.ts'
import { parseCredential, readSent } from '../../src/identity/read-credential.ts'

const now = unixSeconds(1_800_000_000)

const record: CallerRecord = {
  accountId: asAccountId('account'),
  accountName: 'someone',
  accountDisabled: false,
  administrator: false,
  hubTokenId: asHubTokenId('hub-token'),
  kind: 'write',
  origin: 'admin',
  grants: [],
}

describe('a hub token does not speak for its account', () => {
  test.each<readonly [string, CallerRecord | undefined]>([
    ['when nobody knows it', undefined],
    ['when the account is disabled', { ...record, accountDisabled: true }],
    ['when it is revoked', { ...record, revokedAt: unixSeconds(now - 1) }],
    ['when it is revoked now', { ...record, revokedAt: now }],
    ['when it was revoked at the beginning of time', { ...record, revokedAt: unixSeconds(0) }],
    ['when it expires now', { ...record, expiresAt: now }],
    ['when it expired a second ago', { ...record, expiresAt: unixSeconds(now - 1) }],
    ['when it expired at the beginning of time', { ...record, expiresAt: unixSeconds(0) }],
  ])('%s, and a stranger is not told which', (_, stored) => {
    expect(identifyCaller(stored, now)).toEqual(invalidHubToken())
  })
})

describe('a hub token speaks for its account', () => {
  test.each<readonly [string, Partial<CallerRecord>]>([
    ['without an expiry', {}],
    ['a second before its expiry', { expiresAt: unixSeconds(now + 1) }],
    ['of every kind', { kind: 'admin' }],
  ])('%s', (_, stored) => {
    expect(identifyCaller({ ...record, ...stored }, now)).toMatchObject({
      accountId: 'account',
      hubTokenId: 'hub-token',
      ...stored,
    })
  })
})

describe('a credential', () => {
  const token = makeHubToken('lk_', () => Buffer.alloc(32, 9)).reveal()
  const prefixes = new Set(['lk_'])
  const wrongChecksum = `${token.slice(0, -1)}${token.endsWith('0') ? '1' : '0'}`

  test.each<readonly [string, readonly string[], Refusal]>([
    ['no header', [], missingHubToken()],
    ['another scheme', ['Basic bGs6bGs='], missingHubToken()],
    ['two headers', [`Bearer ${token}`, `Bearer ${token}`], invalidHubToken()],
    ['no token', ['Bearer'], invalidHubToken()],
    ['two spaces', [`Bearer  ${token}`], invalidHubToken()],
    ['a wrong checksum', [`Bearer ${wrongChecksum}`], invalidHubToken()],
    ['an unknown prefix', [`Bearer x${token}`], invalidHubToken()],
    ['padding behind it', [`Bearer ${token}=`], invalidHubToken()],
  ])('is refused with %s', (_, authorization, refusal) => {
    expect(parseCredential(readSent(authorization), prefixes)).toEqual(refusal)
  })

  test.each(['Bearer', 'bearer'])('is a hub token that cannot be printed, after %s', (scheme) => {
    const credential = parseCredential(readSent([`${scheme} ${token}`]), prefixes)
    expect('reveal' in credential && credential.reveal()).toBe(token)
    expect(JSON.stringify(credential)).toBe('"[hub-token]"')
  })
})

describe('the words of a 401', () => {
  test('say what to send, and have codes of their own', () => {
    expect(missingHubToken()).toEqual(
      refuse(
        'hub_token_missing',
        'This request carries no hub token. Send one as "Authorization: Bearer <hub token>".',
      ),
    )
    expect(invalidHubToken()).toEqual(
      refuse(
        'hub_token_invalid',
        expect.stringMatching(/^This hub token is not valid: .*Send a current one as /),
      ),
    )
  })

  test('are the same at every moment', () => {
    const later = (now + 1) as UnixSeconds
    expect(identifyCaller(undefined, later)).toEqual(identifyCaller(undefined, now))
  })
})
