/** Checks of id tokens of CI jobs, of administrators of namespaces, and of memberships that end. */

import type { RemovedCheck } from './removed-check.ts'

const exchange = 'trusted-publishers/exchange.test.ts'
const delegation = 'verbs/delegation.test.ts'
const idToken = 'trusted-publishers/verify-id-token.ts'
const publishers = 'verbs/publishers.test.ts'
const limits = 'trusted-publishers/exchange-limits.ts'
const outlasting = 'verbs/outlasting-roles.ts'
const keys = 'trusted-publishers/issuer-keys.ts'
const rules = 'permission/trusted-publisher.ts'

export const checksOfJobsAndRoles: readonly RemovedCheck[] = [
  {
    check: 'the audience is the hub alone',
    edits: [[idToken, 'if (audience !== publicUrl)', 'if (false)']],
    test: [exchange, 'for another audience'],
  },
  {
    check: 'an id token is young',
    edits: [[idToken, 'if (iat < now - settings.maxAgeSeconds) {', 'if (false) {']],
    test: [exchange, 'with an id token that has expired, is too old, or comes from the future'],
  },
  {
    check: 'an id token has an end',
    edits: [[idToken, "if (typeof exp !== 'number' || exp <= now - leewaySeconds)", 'if (false)']],
    test: [exchange, 'without an end'],
  },
  {
    check: 'an id token has an id',
    edits: [
      [
        idToken,
        'return hasId ? { jti, issuedAt: iat }',
        'return iat > 0 ? { jti: String(jti), issuedAt: iat }',
      ],
    ],
    test: [exchange, 'without an id of its token'],
  },
  {
    check: 'an id token is exchanged 200 times',
    edits: [
      [
        'trusted-publishers/exchange-id-token.ts',
        'return counted.uses <= maxExchangesOfIdToken',
        'return true',
      ],
    ],
    test: [exchange, 'exchanges one id token 200 times'],
  },
  {
    check: 'one rule gives so many hub tokens in a minute',
    edits: [[limits, '      [ofRule, rule.account_id],\n', '']],
    test: [exchange, 'a rule and a repository give so many hub tokens in a minute'],
  },
  {
    check: 'one repository gives so many hub tokens in a minute',
    edits: [[limits, '      [ofRepository, repository.uid],\n', '']],
    test: [exchange, 'a rule and a repository give so many hub tokens in a minute'],
  },
  {
    check: 'one namespace gives so many hub tokens in a minute',
    edits: [[limits, '      [ofNamespace, repository.namespace_id],\n', '']],
    test: [
      'trusted-publishers/exchange-limits.test.ts',
      'who has to wait by one limit uses up none of the others',
    ],
  },
  {
    check: 'the rows of jobs are kept for a day',
    edits: [
      [
        'tables/old-sign-ins.ts',
        "ended('ci', now - keptOfJobSeconds)",
        "ended('ci', now - keptSeconds)",
      ],
    ],
    test: ['sign-in/ends.test.ts', 'the row of a CI job is deleted a day after its end'],
  },
  {
    check: 'the account of a publisher joins no team',
    edits: [['verbs/teams.ts', 'if (managed !== undefined) return managed', '']],
    test: [publishers, 'is managed with its rule alone: team-member set'],
  },
  {
    check: 'the account of a publisher joins no team by a file',
    edits: [
      ['apply/plan-teams.ts', 'if (owner !== undefined) return at(', 'if (false) return at('],
    ],
    test: [publishers, 'leaves the account of a publisher and its role alone'],
  },
  {
    check: 'the account of a publisher is linked to nobody',
    edits: [['verbs/identities.ts', 'if (managed !== undefined) return managed', '']],
    test: [publishers, 'is managed with its rule alone: account link'],
  },
  {
    check: 'a session from a hub token manages no namespace',
    edits: [
      [
        'namespace-pages/namespace-routes.ts',
        'if (session.isFromHubToken) return',
        'if (false) return',
      ],
    ],
    test: [
      'sign-in/namespace-pages.test.ts',
      'manages nothing with a session from a hub token, which may have leaked',
    ],
  },
  {
    check: 'the role admin that ends gives no role admin',
    edits: [
      [outlasting, "if (input.role === 'admin') return outlasts(", 'if (false) return outlasts('],
    ],
    test: [delegation, 'leaves no administrator behind that was none before'],
  },
  {
    check: 'the role admin that ends gives memberships that end by then',
    edits: [[outlasting, 'end <= until', 'true']],
    test: [delegation, 'leaves no administrator behind that was none before'],
  },
  {
    check: 'the role admin that ends feeds no group to administrators',
    edits: [[outlasting, " || words === 'team-group set'", '']],
    test: [delegation, 'leaves no administrator behind that was none before'],
  },
  {
    check: 'administrators of a repository are administrators',
    edits: [[outlasting, ", row('team_roles.role', '=', 'admin')", '']],
    test: [delegation, 'leaves no administrator behind that was none before'],
  },
  {
    check: 'the issuer has signed the id token',
    edits: [[idToken, 'await compactVerify(text, key.key, { algorithms: [key.alg] })', '']],
    test: [exchange, 'whose id token is forged, unsigned'],
  },
  {
    check: 'a shared secret is no key',
    edits: [
      [keys, " || jwk['kty'] === 'oct'", ''],
      [keys, "...['ES256',", "...['HS256', 'ES256',"],
      [keys, 'if (!(key instanceof Uint8Array)) keys.set', 'keys.set'],
    ],
    test: [exchange, 'who signs with a shared secret that the issuer published'],
  },
  {
    check: 'the event is one that outsiders cannot cause',
    edits: [
      [
        'verbs/publisher-rows.ts',
        "github: { event_name: ['push', 'workflow_dispatch', 'schedule', 'release'] },",
        'github: {},',
      ],
    ],
    test: [exchange, 'of the pull request of a fork'],
  },
  {
    check: 'a project is compared by its id',
    edits: [
      [rules, "github: ['repository_id', 'repository_owner_id'],", "github: ['ref'],"],
      [
        rules,
        '.filter((claim) => !isAllowed(claim))',
        ".filter((claim) => !claim.endsWith('_id') && !isAllowed(claim))",
      ],
    ],
    test: [exchange, 'a re-created repository with the same name'],
  },
  {
    check: 'a rule names the id of its project',
    edits: [
      [
        'verbs/publisher-rows.ts',
        'if (!isFine || (isSingle && values.length > 1)) {',
        'if (false) {',
      ],
    ],
    test: ['verbs/publishers.test.ts', 'is refused with a name in place of an id'],
  },
  {
    check: 'a ref is compared in full',
    edits: [
      [
        rules,
        'return value !== undefined && allowed.get(claim)?.has(value) === true',
        "return value !== undefined && [...(allowed.get(claim) ?? [])].some((one) => one.split('/').at(-1) === value.split('/').at(-1))",
      ],
    ],
    test: [exchange, 'of a tag with the name of the branch'],
  },
  {
    check: 'a redirect of an issuer is not followed',
    edits: [
      [
        keys,
        'if (answer.status !== 200) {',
        "if (answer.status === 302) return fetchJson(new URL('/elsewhere', url).href, { settings, signal, agents })\n  if (answer.status !== 200) {",
      ],
    ],
    test: [exchange, 'are not taken from an issuer that redirects'],
  },
  {
    check: 'the documents of an issuer name it',
    edits: [[keys, 'if (found.issuer !== issuer) throw', 'if (false) throw']],
    test: [exchange, 'are not taken from an issuer that names another issuer'],
  },
  {
    check: 'keys come over https',
    edits: [[keys, " || !isSafe || username + password !== '') {", ') {']],
    test: [exchange, 'are not taken from an issuer that names keys on plain http elsewhere'],
  },
  {
    check: 'no private address is asked',
    edits: [
      [keys, 'if (!allowsPrivate(settings) && isPrivateLiteral(hostname)) {', 'if (false) {'],
    ],
    test: [exchange, 'an issuer at the private address https://127.0.0.1:9 is not asked'],
  },
  {
    check: 'no name with a private address is asked',
    edits: [
      [
        keys,
        'const options = allowsPrivate(settings) ? {} : { lookup: lookUpPublic }',
        'const options = { lookUpPublic }',
      ],
    ],
    test: [exchange, 'an issuer at the private address https://localhost:9 is not asked'],
  },
  {
    check: 'the account of a rule is not disabled',
    edits: [['trusted-publishers/exchange-id-token.ts', ".where('disabled', '=', 0)", '']],
    test: [exchange, 'a disabled account of a rule gives no hub token'],
  },
  {
    check: 'a narrower rule ends what it gave',
    edits: [
      ['verbs/publisher-rows.ts', '...(narrows ? await revokedTokens(tables, row, now) : []),', ''],
    ],
    test: [exchange, 'a narrower rule ends the hub tokens of its jobs'],
  },
  {
    check: 'an admin hub token reaches its namespaces alone',
    edits: [
      [
        'verbs/delegation.ts',
        'if (!actor.namespaces.includes(name)) return beyond(',
        'if (false) return beyond(',
      ],
    ],
    test: [delegation, 'of the hub needs no role, and reaches no more with such a hub token'],
  },
  {
    check: 'the account has the role at the time of the change',
    edits: [
      [
        'verbs/delegation.ts',
        "if (!roleCovers(role, 'admin')) return noRole(name)",
        'if (!role) return noRole(name)',
      ],
    ],
    test: [delegation, 'loses all with the role: write is not enough'],
  },
  {
    check: 'some operations are for the whole hub',
    edits: [
      ['verbs/delegation.ts', 'if (!isDelegated(verb)) return beyondNamespaces(verb, actor)', ''],
    ],
    test: [delegation, 'does not reach namespaces: namespace delete'],
  },
  {
    check: 'the storages belong to the hub',
    edits: [
      ['verbs/delegation.ts', 'if (input.storage !== undefined) return', 'if (false) return'],
    ],
    test: [delegation, 'does not reach the storage of a repository: repo create'],
  },
  {
    check: 'a namespace keeps an administrator',
    edits: [
      [
        'verbs/delegation.ts',
        '(await countAdministrators(after, namespace.id)) > 0 ? undefined : lastOne(name)',
        'undefined',
      ],
    ],
    test: [delegation, 'does not leave the namespace without one: member delete'],
  },
  {
    check: 'an administrator whose role ends does not count',
    edits: [['verbs/delegation.ts', ".where('administers_until', '=', noEnd)", '']],
    test: [delegation, 'does not leave the namespace without one: member set'],
  },
  {
    check: 'a hub keeps an administrator',
    edits: [
      [
        'verbs/administrators.ts',
        'return (await countOf(others)) > 0 ? undefined : lastAdministrator(row)',
        'return undefined',
      ],
    ],
    test: [
      'verbs/last-administrator.test.ts',
      'the last administrator is not deleted > by an administrator',
    ],
  },
  {
    check: 'a cached role ends with its membership',
    edits: [
      [
        'access/look-up.ts',
        'return until !== undefined && until <= now + renewalSeconds ? undefined : cached',
        'return cached',
      ],
    ],
    test: ['verbs/ending-memberships.test.ts', 'gives no token that lives on, and none afterwards'],
  },
  {
    check: 'a storage token ends with the membership',
    edits: [['minting/mint-token.ts', 'earlier(caller.expiresAt, roleUntil)', 'caller.expiresAt']],
    test: ['verbs/ending-memberships.test.ts', 'gives no token that lives on, and none afterwards'],
  },
  {
    check: 'a role of a membership that has ended is none',
    edits: [
      [
        'access/find-repository.ts',
        'strongestFirst.find((role) => teamEnds[role] > now)',
        'strongestFirst.find((role) => teamEnds[role] > 0)',
      ],
    ],
    test: ['verbs/ending-memberships.test.ts', 'gives no token that lives on, and none afterwards'],
  },
]
