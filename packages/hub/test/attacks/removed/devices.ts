/** Checks of the device flow, of refresh tokens, and of what people make for themselves. */

import type { RemovedCheck } from './removed-check.ts'

const page = 'oauth/device-page.test.ts'
const flow = 'oauth/device-flow.test.ts'
const refresh = 'oauth/refresh.test.ts'
const session = 'sign-in/session.test.ts'
const makers = 'sign-in/makers.test.ts'

export const checksOfDevices: readonly RemovedCheck[] = [
  {
    check: 'an approval is a click',
    edits: [
      [
        'oauth/device-page.ts',
        "if (!isApproved && decision !== 'deny') return approvalPage({ row, plan, session }, deps)",
        '',
      ],
      [
        'oauth/device-page.ts',
        "const isApproved = decision === 'approve' && !isRefusal(plan)",
        'const isApproved = true',
      ],
    ],
    test: [page, 'a person types the code, reads who asks for what, and approves'],
  },
  {
    check: 'an approval needs a fresh session',
    edits: [
      [
        'oauth/device-page.ts',
        'return session.isFresh(clock()) ? session :',
        'return session ? session :',
      ],
    ],
    test: [page, 'a session that is not fresh any more signs in again'],
  },
  {
    check: 'an approval needs the token of its session',
    edits: [['oauth/device-page.ts', 'if (foreign !== undefined) return foreign', '']],
    test: [page, 'a form of another site, or of another session, is refused'],
  },
  {
    check: 'a session has five wrong codes',
    edits: [['oauth/oauth-limits.ts', 'Math.max(ofSession.wait(sessionId), ', 'Math.max(']],
    test: [page, 'a session has five wrong ones'],
  },
  {
    check: 'an address has twenty wrong codes',
    edits: [['oauth/oauth-limits.ts', ', ofNetwork.wait(network))', ')']],
    test: [page, 'an address has twenty wrong ones in an hour'],
  },
  {
    check: 'codes are tried one after the other',
    edits: [
      [
        'oauth/device-page.ts',
        'turns.alone(bySession, () => turns.alone(byNetwork, work))',
        'work()',
      ],
    ],
    test: ['attacks/guessed-codes.test.ts', 'of many codes that are guessed at once'],
  },
  {
    check: 'a user code counts once',
    edits: [
      [
        'oauth/device-codes.ts',
        'if (row?.decided_at !== null || row.expires_at <= now) return undefined',
        'if (row === undefined || row.expires_at <= now) return undefined',
      ],
    ],
    test: [page, 'a code counts once'],
  },
  {
    check: 'a device code gives one pair',
    edits: [
      [
        'oauth/device-codes.ts',
        'if (row.used_at !== null) return repeat(',
        'if (false) return repeat(',
      ],
    ],
    test: [flow, 'gets the same pair for ten minutes, and nothing later'],
  },
  {
    check: 'a device code belongs to its program',
    edits: [['oauth/device-codes.ts', ' || row.client_id !== clientId', '']],
    test: [flow, 'with a code of another client, or with no code of this hub'],
  },
  {
    check: 'an approval reads the session and its account again',
    edits: [
      [
        'oauth/device-codes.ts',
        "if (!(await isSessionLive(tables, { accountId, sessionId, now }))) return 'no session'",
        '',
      ],
    ],
    test: [flow, 'by an account that is disabled meanwhile is refused'],
  },
  {
    check: 'an approval counts no more after its account was disabled',
    edits: [['oauth/device-codes.ts', '(await isCutOff(tables, row)) || ', '']],
    test: [flow, 'counts no more once the account was disabled'],
  },
  {
    check: 'an approval counts no more after its session was revoked',
    edits: [['oauth/device-codes.ts', ' || (await isSessionOver(tables, row, now))', '']],
    test: ['oauth/floods.test.ts', 'a code that was approved gives nothing once its session'],
  },
  {
    check: 'an approval counts no more after the hub token behind its session has expired',
    edits: [
      [
        'sign-in/live-session.ts',
        'return !(await isMakerLive(tables, session, now))',
        'return false',
      ],
    ],
    test: [makers, 'once the hub token behind its session has expired'],
  },
  {
    check: 'what a hub token made ends when it loses something',
    edits: [
      [
        'journal/journaled-directory.ts',
        'await withEndsOfMade(tables, entries, begun.beginning)',
        'entries',
      ],
    ],
    test: [makers, 'is revoked, its sessions, their devices and their approvals end'],
  },
  {
    check: 'a device refreshes once a minute',
    edits: [['oauth/families.ts', 'if ((await countOf(ofMinute)) > 0) return true', '']],
    test: ['oauth/floods.test.ts', 'refreshes once a minute'],
  },
  {
    check: 'a hub token is made while its session lives',
    edits: [
      [
        'sign-in/live-session.ts',
        'if (session === undefined || hasEnded(session, now)) return false',
        'if (session === undefined) return false',
      ],
    ],
    test: ['sign-in/floods.test.ts', 'makes nothing that lasts: session'],
  },
  {
    check: 'a device has no more than the sign-in behind it',
    edits: [
      [
        'oauth/device-codes.ts',
        "scope: maxScope === 'read' ? 'read' : row.scope,",
        'scope: row.scope,',
      ],
    ],
    test: [flow, 'gives no more than the sign-in behind it'],
  },
  {
    check: 'a used refresh token ends its device',
    edits: [
      [
        'oauth/families.ts',
        'await transaction.putAs(origin)(live.map((owned) => revokeOwned(owned, now)))',
        '',
      ],
    ],
    test: [refresh, 'that the thief used first ends the device when its owner comes'],
  },
  {
    check: 'a refresh is repeated for ten minutes',
    edits: [
      [
        'oauth/families.ts',
        'if (row.sealed !== null && now < row.used_at + repeatSeconds) {',
        'if (row.sealed !== null) {',
      ],
    ],
    test: [refresh, 'that the thief uses second ends the device'],
  },
  {
    check: 'a refresh token counts once',
    edits: [['oauth/families.ts', 'if (row.used_at === null) {', 'if (row.created_at > 0) {']],
    test: [refresh, 'raced by twenty processes gives them all one pair'],
  },
  {
    check: 'a refresh token belongs to its program',
    edits: [['oauth/families.ts', 'family.client_id !== clientId || ', '']],
    test: [refresh, 'is of no use to another client'],
  },
  {
    check: 'a disabled account has no devices',
    edits: [
      ['oauth/families.ts', 'account.disabled === 1 || ', ''],
      [
        'tables/end-sign-ins.ts',
        'if (before.disabled === 1 || after.disabled === 0) return []',
        'return []',
      ],
    ],
    test: [refresh, 'while its account is disabled'],
  },
  {
    check: 'enabling an account revives no device',
    edits: [
      [
        'tables/end-sign-ins.ts',
        'if (before.disabled === 1 || after.disabled === 0) return []',
        'return []',
      ],
    ],
    test: [page, 'disabling the account ends its devices, and enabling it brings none back'],
  },
  {
    check: 'a device ends sixty days after its sign-in',
    edits: [
      ['oauth/families.ts', 'const isOver = family.expires_at <= now || (', 'const isOver = ('],
    ],
    test: [refresh, 'goes on for sixty days after the sign-in, and no longer'],
  },
  {
    check: 'a session that is not fresh makes no hub token',
    edits: [
      [
        'sign-in/own-hub-tokens.ts',
        'if (session.isFresh(now)) return undefined',
        'return undefined',
      ],
    ],
    test: [session, 'needs a sign-in of the last 15 minutes'],
  },
  {
    check: 'a hub token outlives no sign-in',
    edits: [
      [
        'sign-in/own-plans.ts',
        'return Math.min(byPolicy, makesUntil ?? Number.POSITIVE_INFINITY)',
        'return byPolicy',
      ],
    ],
    test: [session, 'makes no hub token that outlives the one of the sign-in'],
  },
  {
    check: 'an account revokes its own hub tokens alone',
    edits: [
      ['sign-in/own-hub-tokens.ts', ".where('hub_tokens.account_id', '=', self.accountId)", ''],
    ],
    test: [session, 'reaches no hub token of another account'],
  },
  {
    check: 'a restricted hub token manages no others',
    edits: [
      [
        'sign-in/account-routes.ts',
        "if (caller.kind !== 'write' || caller.origin === 'ci') return restricted",
        '',
      ],
    ],
    test: ['sign-in/account-api.test.ts', 'lists and revokes its own hub tokens and sessions'],
  },
]
