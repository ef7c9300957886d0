/** Arbitrary steps on few names, so that they often meet what is there, and sometimes what is not. */

import { algorithms } from '@latchkey/token'
import fc, { type Arbitrary } from 'fast-check'
import { arbitraryGrant, arbitraryPattern } from '../permission/arbitraries.ts'
import { pretendedToken } from '../revocation/pretended-token.ts'
import { directoryFile } from './arbitrary-file.ts'
import {
  account,
  branch,
  commit,
  flags,
  mostly,
  movingRef,
  namespace,
  repository,
  role,
  some,
  tokenName,
  visibility,
  write,
} from './arbitrary-words.ts'
import { beginning } from './beginning.ts'
import type { Actor, Step } from './steps.ts'

const ref = mostly(movingRef, fc.constantFrom('refs/tags/v1', 'refs/tags/main', 'refs/heads/v1'))
const place = { repository }
const refUpdate = fc.record({
  ref: mostly(
    fc.constantFrom('refs/heads/main', 'refs/heads/dev', 'refs/tags/v1'),
    fc.constantFrom('refs/heads/v1', 'refs/stash', 'refs/pr/1'),
  ),
  old: fc.oneof(commit, fc.constant('0'.repeat(40))),
  new: fc.oneof(commit, fc.constant('0'.repeat(40))),
})
const onePerRef = { selector: ({ ref }: { ref: string }) => ref, maxLength: 3 }
const zeros = fc.constant('0'.repeat(40))
const expiresAt = fc.constantFrom('never', '2090-01-01T00:00:00Z', '2099-01-01T00:00:00Z')
const adminScopes = fc.constantFrom(['ref'], ['account', 'hub-token'])
const grants = fc.array(arbitraryGrant, { minLength: 1, maxLength: 2 })
const hubToken = fc.nat({ max: 5 })
const team = fc.constantFrom('curators', 'readers')
const provider = fc.constantFrom('corp', 'other')
const group = fc.constantFrom('staff', '/a/b')
const teamRole = mostly(role, fc.constant('none'))
const newToken = { account, name: tokenName }
const nth = fc.nat({ max: 5 })
const quota = fc.constantFrom('none', '1', '2kB', '1.5TB')
const publisher = { ...place, publisher: tokenName }
const claims = fc.constantFrom(['sub=job'], ['sub=job', 'sub=other'], ['sub=job', 'env=live'])
const contents = fc.constantFrom('read', 'write')
const refs = fc.constantFrom(['main'], ['main', 'dev'])
const maxSeconds = fc.constantFrom(600, 3600)
const rarely = mostly(fc.constant(false), fc.constant(true))

const issuer = fc.constant('https://login.example')
const subject = fc.constantFrom('one', 'two')

/** The input of every verb that changes something. */
export const inputs: Readonly<Record<string, Arbitrary<object>>> = {
  'account create': some({ name: account }, { ...flags, kind: fc.constantFrom('user', 'service') }),
  'account set': some({ account }, flags),
  'account delete': some({ account }),
  'account link': some({ account, issuer, subject, provider: fc.constant('corp') }),
  'account unlink': some({ account, issuer, subject }),
  'identity end': some({ provider: fc.constantFrom('corp', 'nobody') }),
  'namespace create': some({ name: namespace }),
  'namespace set': some(
    { namespace },
    { storage: fc.constantFrom('default', 'eu', 'nowhere'), quota },
  ),
  'namespace delete': some({ namespace }),
  'member set': some({ namespace, account, role }),
  'member delete': some({ namespace, account }),
  'team create': some({ namespace, team }, { role: teamRole }),
  'team set': some({ namespace, team, role: teamRole }),
  'team delete': some({ namespace, team }),
  'team-member set': some({ namespace, team, account }, { until: expiresAt }),
  'team-member delete': some({ namespace, team, account }),
  'team-group set': some({ namespace, team, provider, group }),
  'team-group delete': some({ namespace, team, provider, group }),
  'repo create': some(place, { visibility, defaultBranch: branch }),
  'repo set': some(place, { visibility, defaultBranch: branch, quota }),
  'repo move-storage': some({
    ...place,
    to: mostly(fc.constant('eu'), fc.constantFrom('default', 'nowhere')),
    step: fc.constantFrom('close', 'switch', 'cancel'),
  }),
  'repo delete': some(place),
  'collaborator set': some({ ...place, account, role }),
  'collaborator delete': some({ ...place, account }),
  'team-role set': some({ ...place, team, role }),
  'team-role delete': some({ ...place, team }),
  'ref-rule set': some({ ...place, pattern: arbitraryPattern, write }),
  'ref-rule delete': some({ ...place, pattern: mostly(fc.constant('main'), arbitraryPattern) }),
  'publisher create': some(
    {
      ...publisher,
      contents,
      claims,
      preset: fc.constant('other'),
      issuer: fc.constant('https://ci.example'),
    },
    { refs, maxSeconds },
  ),
  'publisher set': some(publisher, { contents, claims, refs, maxSeconds }),
  'publisher delete': some(publisher),
  'forge adopt': some({ forge: fc.constantFrom('a', 'b').map((letter) => letter.repeat(26)) }),
  'ref set': some({ ...place, ref }, { commit, from: movingRef, expect: mostly(commit, zeros) }),
  'ref update': some(
    { ...place, updates: fc.uniqueArray(refUpdate, onePerRef) },
    { force: fc.boolean() },
  ),
  'ref delete': some({ ...place, ref }),
  'commit record': some({
    ...place,
    hash: commit,
    on: fc.uniqueArray(movingRef, { maxLength: 2 }),
  }),
  'hub-token create': fc.oneof(
    some(
      { ...newToken, kind: fc.constantFrom('read', 'write', 'storage', 'forge') },
      { expiresAt },
    ),
    some({ ...newToken, kind: fc.constant('fine-grained'), grants }, { expiresAt }),
    some({ ...newToken, kind: fc.constant('admin') }, { adminScopes, expiresAt }),
  ),
  'hub-token set': fc.oneof(
    some({ hubToken }, { grants, adminScopes }),
    some({ hubToken, expiresAt }),
  ),
  'hub-token revoke': some({ hubToken }),
  'revoke token': some({
    token: fc.constantFrom('one', 'two').map((jti) => pretendedToken({ jti })),
  }),
  'revoke hub-token': some({ hubToken }),
  'revoke account': some({ account }),
  'revoke repository': some(place),
  'revoke ref': some({ ...place, ref }),
  'keys rotate': some({}, { use: fc.constantFrom('tokens', 'revocations'), compromised: rarely }),
  'keys retire': some({ kid: nth }, { compromised: rarely }),
  apply: some({ file: directoryFile }, { prune: fc.boolean() }),
}

const actor = mostly(
  fc.constantFrom<Actor>('machine', 'administrator'),
  fc.constantFrom<Actor>('limited administrator', 'ending administrator'),
)

/** What deletes much is rare, so that there is something to change. */
const verbStep: Arbitrary<Step> = fc.oneof(
  ...Object.entries(inputs).map(([words, input]) => ({
    weight: words === 'apply' ? 6 : /^(account|namespace|repo) delete/.test(words) ? 1 : 3,
    arbitrary: fc.record({
      do: fc.constant('verb' as const),
      words: fc.constant(words),
      input,
      as: actor,
    }),
  })),
)

const otherStep: Arbitrary<Step> = fc.oneof(
  fc.record({ do: fc.constant('make key' as const), algorithm: fc.constantFrom(...algorithms) }),
  fc.record({ do: fc.constant('raise epoch' as const), nth }),
  fc.record({ do: fc.constant('sign in' as const), nth }),
  fc.record({ do: fc.constant('use hub token' as const), nth }),
  fc.record({ do: fc.constant('vouch' as const), subject, groups: fc.subarray(['staff', '/a/b']) }),
  fc.record({ do: fc.constant('open hub' as const) }),
  fc.record({ do: fc.constant('move clock' as const), milliseconds: fc.nat({ max: 2000 }) }),
  // So long that a key may take its next step.
  fc.record({ do: fc.constant('move clock' as const), milliseconds: fc.constant(1_400_000) }),
)

const setBack = fc.constant<Step>({ do: 'move clock', milliseconds: -3_600_000 })
const copyOrPutBack = fc.constantFrom<Step>({ do: 'copy file' }, { do: 'put copy back' })

/** A clock that is set back can give a number of a lost history again, so no history has both. */
export const arbitraryHistory: Arbitrary<Step[]> = fc
  .oneof(historyWith(setBack), historyWith(copyOrPutBack))
  .map((steps) => [beginning, ...steps])

function historyWith(special: Arbitrary<Step>): Arbitrary<Step[]> {
  const step = fc.oneof(
    { weight: 12, arbitrary: verbStep },
    { weight: 4, arbitrary: otherStep },
    { weight: 2, arbitrary: special },
  )
  return fc.array(step, { minLength: 10, maxLength: 30 })
}
