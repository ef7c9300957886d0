/** Checks of sign-ins, sessions and forms. */

import type { RemovedCheck } from './removed-check.ts'

const provider = 'sign-in/provider.test.ts'
const session = 'sign-in/session.test.ts'

export const checksOfSignIns: readonly RemovedCheck[] = [
  {
    check: 'the state that comes back is the one of this browser',
    edits: [
      ['sign-in/open-providers.ts', 'expectedState: state,', 'expectedState: oidc.skipStateCheck,'],
    ],
    test: [provider, 'cannot change or leave out state'],
  },
  {
    check: 'the response names the issuer that was asked (RFC 9207)',
    edits: [
      [
        'sign-in/open-providers.ts',
        'async redeem({ state, nonce, verifier }, returned) {',
        'async redeem({ state, nonce, verifier }, returned) { returned.searchParams.set("iss", settings.issuer)',
      ],
    ],
    test: [provider, 'cannot change or leave out iss'],
  },
  {
    check: 'the id token has the nonce of the attempt',
    edits: [['sign-in/open-providers.ts', 'expectedNonce: nonce,', '']],
    test: ['attacks/sign-in.test.ts', 'an id token with no nonce opens no session'],
  },
  {
    check: 'the code is bound to the browser by a challenge',
    edits: [
      [
        'sign-in/open-providers.ts',
        "code_challenge_method: 'S256',",
        "code_challenge_method: 'plain',",
      ],
    ],
    test: ['attacks/sign-in.test.ts', 'each attempt has a state, a nonce and an S256 challenge'],
  },
  {
    check: 'an attempt is sealed for one provider',
    edits: [
      ['sign-in/sealed-attempt.ts', 'content?.provider !== provider', 'content === undefined'],
      ['sign-in/sealed-attempt.ts', 'keyFrom(by, provider)', "keyFrom(by, 'any')"],
      ['sign-in/sealed-attempt.ts', 'keyFrom(by, content.provider)', "keyFrom(by, 'any')"],
    ],
    test: ['attacks/sign-in.test.ts', 'a provider cannot have another provider answer for it'],
  },
  {
    check: 'a state counts once',
    edits: [
      [
        'sign-in/provider-routes.ts',
        'if (!states.take(attempt.state, now)) return refused(otherBrowser, at)',
        '',
      ],
    ],
    test: ['attacks/sign-in.test.ts', 'a response counts once, also where the provider takes'],
  },
  {
    check: 'an attempt ends after ten minutes',
    edits: [['sign-in/sealed-attempt.ts', ' && now < content.startedAt + attemptSeconds ?', ' ?']],
    test: [provider, 'cannot alter the cookie of an attempt, nor use it after 10 minutes'],
  },
  {
    check: 'the way back is a path of the hub',
    edits: [
      [
        'sign-in/page-reply.ts',
        "if (next == null || !/^\\/(?![/\\\\])[!-~]*$/.test(next) || next.includes('\\\\')) return account",
        'return next ?? account',
      ],
    ],
    test: [provider, 'cannot lead a browser to https://evil.example/'],
  },
  {
    check: 'a sign-in ends the session that was there',
    edits: [
      [
        'sign-in/open-session.ts',
        "ended.push(...(await live.where('hub_tokens.id', '=', before).execute()))",
        'ended.push()',
      ],
    ],
    test: [provider, 'cannot fix the session of a victim'],
  },
  {
    check: 'a sign-in reads its hub token again',
    edits: [['sign-in/open-by-hub-token.ts', ".where('hub_tokens.revoked_at', 'is', null)", '']],
    test: ['sign-in/makers.test.ts', 'and was revoked, has expired, or lost its account meanwhile'],
  },
  {
    check: 'a renewal in flight revives no membership of a disabled account',
    edits: [
      [
        'tables/end-sign-ins.ts',
        ".where('identities.account_id', '=', before.id)",
        ".where('identities.account_id', '=', '' as never)",
      ],
    ],
    test: [
      'verbs/renewing-memberships.test.ts',
      'are not renewed by an answer to an account that is disabled meanwhile',
    ],
  },
  {
    check: 'an identity is found by its issuer too',
    edits: [['sign-in/find-account.ts', ".where('identities.issuer', '=', issuer)", '']],
    test: [provider, 'keeps the same subject of two issuers apart'],
  },
  {
    check: 'a name that is taken is taken',
    edits: [['sign-in/find-account.ts', 'if (await isNameTaken(tables, name))', 'if (false)']],
    test: [provider, 'refuses a name that an account or a namespace has'],
  },
  {
    check: 'the conditions hold at every sign-in',
    edits: [['sign-in/provider-routes.ts', 'if (unmet !== undefined) return', 'if (false) return']],
    test: [provider, 'holds the conditions at every sign-in'],
  },
  {
    check: 'groups are a list',
    edits: [
      [
        'sign-in/find-account.ts',
        'if (!Array.isArray(own)) return',
        'if (!own) return undefined\n  if (false) return',
      ],
    ],
    test: [
      'attacks/provider-faults.test.ts',
      'a provider that leaves out the groups admits nobody',
    ],
  },
  {
    check: 'a disabled account signs in no more',
    edits: [['sign-in/find-account.ts', 'if (linkedAccount?.disabled === 1)', 'if (false)']],
    test: [provider, 'of a disabled account is refused'],
  },
  {
    check: 'a fresh sign-in asks for a new proof',
    edits: [['sign-in/open-providers.ts', "...(isFresh && { max_age: '0' }),", '']],
    test: [provider, 'asks the provider for a new proof where it must be fresh'],
  },
  {
    check: 'a proof from the future is not fresh',
    edits: [['sign-in/open-session.ts', ' || authTime > now + maxAheadSeconds', '']],
    test: ['attacks/sign-in.test.ts', 'clock of the hub differs by -90 s'],
  },
  {
    check: 'an old proof is not fresh',
    edits: [
      [
        'sign-in/open-session.ts',
        'return authTime + freshSeconds > now ? authTime + freshSeconds : null',
        'return now + freshSeconds',
      ],
    ],
    test: ['attacks/sign-in.test.ts', 'clock of the hub differs by 900 s'],
  },
  {
    check: 'a session is no credential of a program',
    edits: [
      [
        'identity/identify-caller.ts',
        "if ((record.origin === 'session') !== isOfSession) return invalidHubToken()",
        '',
      ],
      [
        'issue/with-fresh-facts.ts',
        'return this.#isAnew && !wasRead ? this.deps.currentPrefixes() : this.deps.knownPrefixes()',
        "return new Set(['lk_', 'lks_'])",
      ],
    ],
    test: [session, 'authorizes no route but pages'],
  },
  {
    check: 'a session is found by one cookie alone',
    edits: [
      [
        'sign-in/session-cookie.ts',
        'return values.length === 1 ? value : undefined',
        'return value',
      ],
    ],
    test: [session, 'is found by one cookie alone'],
  },
  {
    check: 'no neighbour host sets the cookie of a session',
    edits: [
      [
        'sign-in/session-cookie.ts',
        "return isSecure(publicUrl) ? '__Host-latchkey' : 'latchkey-session'",
        "return 'latchkey-session'",
      ],
    ],
    test: [session, 'has a cookie that no script reads, no other host sets'],
  },
  {
    check: 'a session ends with its account',
    edits: [['sign-in/session-port.ts', 'row.disabled === 1 || row.revoked_at !== null || ', '']],
    test: [session, 'ends with its account, and does not come back'],
  },
  {
    check: 'a form has the token of its session',
    edits: [
      [
        'sign-in/session-port.ts',
        "return sent.length === 1 && isSame(sent[0] ?? '', csrfToken) ? undefined : staleForm",
        'return undefined',
      ],
    ],
    test: [session, 'needs the token of its own session'],
  },
  {
    check: 'a form comes from a page of the hub',
    edits: [
      ['../../service/src/http/same-origin.ts', "return site === 'same-origin'", 'return true'],
    ],
    test: [session, 'of another host of the domain is refused'],
  },
  {
    check: 'no other site frames a page',
    edits: [['../../service/src/http/page.ts', `"frame-ancestors 'none'",`, '']],
    test: ['attacks/browser.test.ts', 'sees no page of the hub in a frame of another site'],
  },
]
