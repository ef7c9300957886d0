/** docs/reference/limits.md: limits, with their values read from options and constants in source. */

import { readFileSync } from 'node:fs'
import { type OptionKey, options } from '../../packages/cli/src/configuration/options.ts'
import { code, opening, table } from './markdown.ts'

export function limitsPage(): string {
  return [
    opening('Limits', 'options and constants in source', introduction),
    ...sections().map(
      ([title, rows]) => `## ${title}\n\n${table(['limit', 'value', 'beyond it'], rows)}`,
    ),
  ].join('\n')
}

const introduction = `
You can change a limit that names an option; see [configuration](configuration.md). The other limits
are fixed. An IPv6 address stands for its /64 network. Error codes are in [errors](errors.md).

Many limits bound concurrent work. A part of each is reserved for accounts that use none of it, so one
account cannot use all of it. A request that exceeds such a limit waits for its turn.
`

type Row = readonly [limit: string, value: string, beyond: string]
type Section = readonly [title: string, rows: readonly Row[]]

const wait = 'the request waits'
const tooMany = '429 with `Retry-After`'

const listener = 'service/src/http/listener.ts'
const heads = 'service/src/http/reading-control.ts'
const watch = 'service/src/http/connection-watch.ts'
const bodies = 'service/src/http/bodies.ts'
const report = 'hub/src/revocation/report/report-limits.ts'
const deviceCodes = 'hub/src/oauth/device-codes.ts'
const families = 'hub/src/oauth/families.ts'
const attempts = 'hub/src/sign-in/provider-routes.ts'
const oauth = 'hub/src/oauth/oauth-limits.ts'
const post = 'hub/src/revocation/report/serve-revoke.ts'
const exchange = 'hub/src/trusted-publishers/exchange-id-token.ts'
const exchangeLimits = 'hub/src/trusted-publishers/exchange-limits.ts'
const teams = 'hub/src/verbs/team-limits.ts'
const adminBodies = 'hub/src/admin/body-limits.ts'
const xet = 'xet/src/format/limits.ts'
const caps = 'storage/src/bounds/shard-caps.ts'
const forge = 'forge/src/serve/open-forge.ts'
const forwarding = 'hub/src/forwarding/open-forwarding.ts'
const forgeSlots = 'hub/src/forwarding/forge-slots.ts'
const git = 'forge/src/git/open-git.ts'
const slots = 'storage/src/shards/shard-slots.ts'
const plans = 'storage/src/reconstructions/reconstruction-slots.ts'
const adopt = 'storage/src/shards/adopt-files.ts'
const resumable = 'storage/src/catalog/file-uploads.ts'
const hasher = 'storage/src/files/file-hasher.ts'

function sections(): readonly Section[] {
  return [
    ['Token requests', tokenRequests()],
    ['Connections', connections()],
    ['Request headers and bodies', requests()],
    ['Admin API', adminApi()],
    ['Reports of leaked tokens', reports()],
    ['Device logins', deviceLogins()],
    ['Exchange of id tokens', exchanges()],
    ['Link of a storage or forge', link()],
    ['Forge', forgeRows()],
    ['Uploads and downloads', storage()],
    ['Gate', gate()],
  ]
}

function tokenRequests(): readonly Row[] {
  const perMinute = option('limits.requestsPerMinute')
  return [
    ['token requests of one hub token per minute', perMinute, tooMany],
    ['anonymous token requests of one address per minute', perMinute, tooMany],
    [
      'requests without a valid hub token, of one address per minute',
      option('limits.failuresPerMinute'),
      '429 instead of 401; requests with a valid hub token are not affected',
    ],
    [
      'time that a request waits for its turn',
      duration(constant('hub/src/start/overload-queue.ts', 'maxWaitMs')),
      '503 with `Retry-After`',
    ],
    [
      'length of a storage token that clients must accept',
      `${count(constant('protocol/src/token-path.ts', 'maxAccessTokenLength'))} characters`,
      '–',
    ],
    [
      'length of `casUrl`',
      `${count(constant('protocol/src/service-url.ts', 'maxConfigurableCasUrlLength'))} characters`,
      'the hub does not start',
    ],
    ['lifetime of a storage token', option('token.lifetimeSeconds', ' s'), '–'],
    [
      'ref patterns in the grants of one hub token',
      count(constant('admin-api/src/input/grants.ts', 'maxPatterns')),
      '400',
    ],
    ['refs in one repository', count(constant('hub/src/verbs/ref-rows.ts', 'maxRefs')), '409'],
  ]
}

function connections(): readonly Row[] {
  return [
    [
      'connections; fewer if the process may open few files or has little memory',
      option('limits.connections'),
      'the hub closes the connection that was idle longest, of the address with the most connections',
    ],
    [
      'connections of one address that is not a trusted proxy',
      'a quarter of all connections',
      'the hub closes the idle one, or the new one if none is idle',
    ],
    [
      'requests on one connection that wait for a response',
      count(constant(listener, 'maxPipelined')),
      'the hub closes the connection',
    ],
    [
      'requests of one account or address that wait for their turn',
      count(constant(heads, 'maxWaiting')),
      'the hub stops reading its other connections until some are done',
    ],
    [
      'headers that a client sends on one connection before it has the response to an earlier request',
      bytes(constant('service/src/http/pipelining.ts', 'maxBytes')),
      'the hub stops reading the connection until the response is sent',
    ],
    [
      'headers of all requests that wait; of one account or address',
      `${bytes(constant(heads, 'maxBytesInAll'))}, or a quarter of the free heap; a tenth of it`,
      'the hub closes the connection',
    ],
    [
      'time in which a client reads no part of a response',
      duration(constant(watch, 'patienceMs')),
      'the hub closes the connection',
    ],
    [
      'time in which a client continues to send a body after the response',
      duration(constant(watch, 'patienceMs')),
      'the hub closes the connection',
    ],
    [
      'time in which a connection receives only errors',
      duration(constant(watch, 'patienceMs')),
      'the next response has `Connection: close`',
    ],
    [
      'idle time of a connection',
      duration(constant(listener, 'limits', 'keepAliveTimeout')),
      'the hub closes the connection',
    ],
  ]
}

function requests(): readonly Row[] {
  return [
    ['headers of one request', bytes(constant(listener, 'maxHeaderSize')), '431'],
    [
      'time for the headers; for the whole request; with the forge',
      [
        duration(constant(listener, 'headersTimeout = Math.min(')),
        duration(constant(listener, 'timeoutsOf', 'requestTimeoutMs')),
        duration(1000 * constant(forwarding, 'forgeTimeouts', 'totalSeconds')),
      ].join('; '),
      '408',
    ],
    [
      'slowest body in JSON or of a form; longest time for it',
      `${bytes(constant(bodies, 'usualPace', 'minBytes'))} in ${duration(constant(bodies, 'usualPace', 'windowMs'))}; ${duration(constant(bodies, 'wholeBodyPace', 'maxMs'))}`,
      '408',
    ],
    [
      `values in a JSON body of more than 64 KiB`,
      count(constant('service/src/http/parse-json.ts', 'maxValues')),
      '400',
    ],
    [
      'JSON bodies and forms in memory, in total; of one account',
      '1/16 of the heap limit, at least 16 MiB; a quarter of it, at least 8 MiB',
      `${wait}; 429 for an account with ${count(constant('service/src/limits/shares.ts', 'bodiesWithinHeap', 'maxWaitingOfAccount'))} waiting`,
    ],
  ]
}

function adminApi(): readonly Row[] {
  const read = 'hub/src/admin/read-request.ts'
  const journal = 'hub/src/journal/journal-watch.ts'
  return [
    ...(['apply', 'ref update', 'commit record', 'hub-token create'] as const).map(
      (words): Row => [
        `body of \`${words}\``,
        bytes(constant(adminBodies, words === 'apply' ? 'apply' : `'${words}'`, 'most')),
        words === 'hub-token create' ? '413' : '413; split it, or run the command on the machine',
      ],
    ),
    ['body of any other operation', bytes(constant(adminBodies, 'usualBytes')), '413'],
    [
      'members of one object in a body',
      count(constant(read, 'maxMembers')),
      "400; run the command on the hub's machine",
    ],
    [
      `bodies of more than ${bytes(constant(read, 'shortBytes'))} at once, of one administrator; in total`,
      `${constant(adminBodies, 'atOnce', 'maxOfAccount')}; ${constant(adminBodies, 'atOnce', 'max')}`,
      `the request waits ${constant(adminBodies, 'atOnce', 'maxWaitSeconds')} s, then ${tooMany}`,
    ],
    [
      'requests for changes with `wait`, of one hub token; in total',
      `${constant(journal, 'maxWaiting', 'maxOfAccount')}; ${constant(journal, 'maxWaiting', 'max')}`,
      'the hub responds after a second',
    ],
    [
      'entries of one page',
      count(constant('admin-api/src/input/words.ts', 'maxPageLength')),
      '400',
    ],
    ['teams of one namespace', count(constant(teams, 'maxTeams')), '409'],
    ['members of one team', count(constant(teams, 'maxTeamMembers')), '409'],
    [
      'members of one team, times its namespace and the repositories where it has a role',
      count(constant(teams, 'maxTeamAccess')),
      '409 to a command, not to `apply`',
    ],
    [
      'roles of all teams of one namespace that name one group; of those with one account as a local member',
      `${constant(teams, 'maxGroupPlaces')}; ${constant(teams, 'maxAccountPlaces')}`,
      '409 to a command, not to `apply`',
    ],
    [
      'repositories of one namespace, if its own administrator creates one',
      option('forge.quotaRepositories'),
      '413',
    ],
  ]
}

function exchanges(): readonly Row[] {
  const refusals = 'hub/src/trusted-publishers/refused-exchanges.ts'
  return [
    [
      'exchanges of one id token',
      count(constant(exchange, 'maxExchangesOfIdToken')),
      '400 `invalid_grant`',
    ],
    [
      'exchanges of one trusted publisher per minute; of one repository; of one namespace',
      [
        constant(exchangeLimits, 'exchangesOfRulePerMinute'),
        constant(exchangeLimits, 'exchangesOfRepositoryPerMinute'),
        constant(exchangeLimits, 'exchangesOfNamespacePerMinute'),
      ].join('; '),
      '503 with `Retry-After`',
    ],
    [
      'characters of an id token',
      count(constant('hub/src/identity/id-token.ts', 'maxIdTokenLength')),
      '400 `invalid_grant`',
    ],
    [
      'refused exchanges that the hub keeps for one repository; new ones per minute',
      `${constant(refusals, 'maxRefusalsKept')}; ${constant(exchange, 'notedRefusalsPerMinute')}`,
      'the oldest is deleted; the hub keeps no more',
    ],
    [
      'trusted publishers of one repository',
      count(constant('admin-api/src/input/publishers.ts', 'maxPublishers')),
      '409',
    ],
  ]
}

function deviceLogins(): readonly Row[] {
  return [
    [
      'codes of one address that wait for a decision; of one IPv6 /48',
      `${constant(deviceCodes, 'maxOpenOfNetwork')}; ${constant(deviceCodes, 'maxOpenOfSite')}`,
      '429 `slow_down`',
    ],
    [
      'codes that wait, in total',
      count(constant(deviceCodes, 'maxUndecided')),
      'the hub deletes codes of the networks that have most',
    ],
    [
      'refreshes of one device per minute; per day',
      `${60 / constant(families, 'refreshSeconds')}; ${constant(families, 'maxRefreshesOfDay')}`,
      '400 `slow_down`',
    ],
    [
      'devices of one account',
      count(constant(families, 'maxFamiliesOfAccount')),
      'the one that was refreshed longest ago ends',
    ],
    [
      'sessions of one account',
      count(constant('hub/src/sign-in/open-session.ts', 'maxSessionsOfAccount')),
      'the oldest ends',
    ],
    [
      'sign-ins of one account per hour; own hub tokens; decisions on programs',
      ['session', 'hubToken', 'deviceLogin']
        .map((thing) => constant('hub/src/sign-in/account-limits.ts', 'madePerHour', thing))
        .join('; '),
      tooMany,
    ],
    [
      'changes per hour, of one session or admin hub token of an administrator of a namespace',
      count(constant('hub/src/sign-in/account-limits.ts', 'namespaceChangesPerHour')),
      tooMany,
    ],
    [
      'sign-ins at providers that one address begins per minute; returns',
      `${constant(attempts, 'attemptsPerMinute')}; ${constant(attempts, 'attemptsPerMinute')}`,
      tooMany,
    ],
    [
      'revocation entries for hub tokens of one account',
      count(constant('hub/src/journal/bound-cut-offs.ts', 'maxOfAccount')),
      'one entry for the account replaces them',
    ],
    [
      'revocation entries for tokens of one namespace',
      count(constant('hub/src/journal/bound-cut-offs.ts', 'maxOfNamespace')),
      'one entry for the namespace replaces them',
    ],
    ['life of a code', duration(constant(deviceCodes, 'codeSeconds') * 1000), '`expired_token`'],
    [
      'wrong codes per hour, of one session; of one address',
      `${constant(oauth, 'wrongCodesOfSession')}; ${constant(oauth, 'wrongCodesOfNetwork')}`,
      'the page asks to wait',
    ],
    [
      'OAuth requests of one address per minute',
      count(constant(oauth, 'oauthRequestsPerMinute')),
      '503 with `Retry-After`',
    ],
    [
      'time between polls',
      duration(constant(deviceCodes, 'pollSeconds') * 1000),
      '400 `slow_down`',
    ],
    [
      'parameters of an OAuth request',
      bytes(constant('hub/src/oauth/read-parameters.ts', 'maxFormBytes')),
      '413',
    ],
  ]
}

function reports(): readonly Row[] {
  return [
    [
      'reports of one address per minute; at once',
      `${constant(report, 'reportsPerMinute')}; ${constant(report, 'maxOfOneNetwork')}`,
      `${tooMany}; 503`,
    ],
    ['reports at once, in total', count(constant(report, 'maxInAll')), '503 with `Retry-After`'],
    [
      'tokens in one report',
      count(constant('hub/src/revocation/report/read-reports.ts', 'maxTokens')),
      '400',
    ],
    [
      'tokens per minute, of one address; in total',
      `${count(constant(report, 'tokensPerMinute'))}; ${count(constant(report, 'tokensPerMinuteInAll'))}`,
      tooMany,
    ],
    ['tokens that wait', count(constant(report, 'maxTokensInAll')), '503 with `Retry-After`'],
    ['body of a report', bytes(constant(post, 'largestBytes')), '413'],
    ['time for the body', duration(constant(post, 'bodyMs')), '408; the hub closes the connection'],
    [
      'bodies in memory, without the first 16 KiB of each',
      bytes(constant(report, 'maxBytesInAll')),
      '503 with `Retry-After`',
    ],
  ]
}

function link(): readonly Row[] {
  const limits = 'hub/src/link/link-limits.ts'
  return [
    [
      'requests at once, of one credential; in total',
      `${constant(limits, 'questions', 'maxOfAccount')}; ${constant(limits, 'questions', 'max')}`,
      '429; the storage sends the request again',
    ],
    [
      'storage URLs that one credential renews per minute',
      count(constant(limits, 'epochsPerMinute')),
      '429; the storage sends the request again',
    ],
    [
      'repositories in one response with quotas',
      count(constant('hub/src/link/quota-states.ts', 'maxRepositories')),
      'the response says that there is more',
    ],
    [
      'uids in one request',
      count(constant('admin-api/src/link/questions.ts', 'maxLinkUids')),
      '400',
    ],
    [
      'body of a request',
      bytes(constant('hub/src/link/link-routes.ts', 'bodyLimits', 'most')),
      '413',
    ],
    [
      'journal entries that one response covers',
      count(constant('hub/src/link/read-changes.ts', 'maxEntries')),
      'the response says that there is more',
    ],
  ]
}

function forgeRows(): readonly Row[] {
  const working = constant(git, 'usualBounds', 'maxWorking')
  return [
    [
      'git processes that send data to clients, in total; of one account',
      `${constant(git, 'usualBounds', 'maxServing')}; ${constant(git, 'usualBounds', 'maxServingOfAccount')}`,
      waits(),
    ],
    ['other git processes at once', count(working), waits()],
    [
      'commits that arrive at once, in total; of one account',
      `${constant(forge, 'commitLimits', 'max')}; ${constant(forge, 'commitLimits', 'maxOfAccount')}`,
      waits(),
    ],
    [
      'requests at the forge at the same time, in total; of one account or network',
      `a quarter of \`limits.connections\`, at most ${constant(forgeSlots, 'maxForwarded')}; a quarter of them`,
      '429 after 20 s, or if as many wait',
    ],
    [
      'time in which a body makes no progress, in either direction',
      duration(1000 * constant(forwarding, 'forgeTimeouts', 'idleSeconds')),
      '408, or the hub closes the connection',
    ],
    [
      'large files that arrive at once from git-lfs, in total; of one account',
      `${constant(forge, 'uploadLimits', 'max')}; ${constant(forge, 'uploadLimits', 'maxOfAccount')}`,
      waits(),
    ],
    [
      'one of them',
      bytes(constant('forge/src/api/lfs-upload-batch.ts', 'maxObjectBytes')),
      '413 for the object',
    ],
    [
      'objects in one batch of git-lfs',
      count(constant('forge/src/large-files/read-batch.ts', 'maxObjects')),
      '413',
    ],
    ['bytes of one commit', bytesOption('forge.commitBytes'), '413'],
    [
      'a regular file in a commit',
      bytes(constant('forge/src/large-files/upload-modes.ts', 'largestRegularBytes')),
      '413; upload it as a large file',
    ],
    ['bytes of git data of one repository', bytesOption('forge.quotaBytes'), '413'],
    ['repositories of one namespace', option('forge.quotaRepositories'), '413'],
    ['refs of one repository', option('forge.quotaRefs'), '413'],
    [
      'slowest client that reads a response',
      `${bytes(constant(bodies, 'usualPace', 'minBytes'))} in ${duration(constant(bodies, 'usualPace', 'windowMs'))}`,
      'the hub closes the connection',
    ],
  ]
}

function waits(): string {
  const seconds = constant('service/src/limits/usage.ts', 'usualLimits', 'maxWaitSeconds')
  return `the request waits ${seconds} s, then ${tooMany}`
}

function storage(): readonly Row[] {
  const minute = constant(slots, 'ofOne', 'maxWaitSeconds')
  const usage = 'service/src/limits/usage.ts'
  return [
    [
      'a xorb: bytes, chunks, bytes of one chunk',
      [
        bytes(constant(xet, 'maxShardBytes')),
        count(constant(xet, 'maxXorbChunks')),
        bytes(constant(xet, 'maxChunkBytes')),
      ].join(', '),
      '413 or 400',
    ],
    ['bytes of a shard', bytes(constant(xet, 'maxShardBytes')), '413'],
    ['files in a shard', option('storage.shardFiles'), '400'],
    [
      'xorbs, chunk ranges and chunks in a shard',
      ['xorbs', 'terms', 'chunks']
        .map((name) => count(constant(caps, 'defaultShardCaps', name)))
        .join(', '),
      '400',
    ],
    [
      'small and large shards that the storage checks at once; of one account and of one repository',
      `${constant(slots, 'max', 'small')}, ${constant(slots, 'max', 'large')}; ${constant(slots, 'ofOne', 'maxOfAccount')}`,
      `the request waits ${minute} s, then ${tooMany}`,
    ],
    [
      'xorbs that the storage checks at once, of one account or repository; in total',
      'one per core without one; four times as many',
      `the request waits ${minute} s, then ${tooMany}`,
    ],
    [
      'files of a batch reconstruction',
      count(constant('storage/src/request/whole-body.ts', 'maxListedFiles')),
      '400',
    ],
    [
      'chunk ranges of a reconstruction',
      count(constant('storage/src/reconstructions/make-reconstruction.ts', 'maxTermsInAnswer')),
      '400; request ranges of the file',
    ],
    [
      'large reconstructions until the client has read them, in total; of one repository; of one account',
      ['max', 'maxOfRepository', 'maxOfAccount']
        .map((name) => constant(plans, 'large: shares(', name))
        .join('; '),
      waits(),
    ],
    [
      'a request to copy content: bytes, files, tokens',
      [
        bytes(constant(adopt, 'maxBytes')),
        count(constant('storage/src/request/whole-body.ts', 'maxListedFiles')),
        count(constant(adopt, 'maxThroughTokens')),
      ].join(', '),
      '413 or 400; name fewer files',
    ],
    [
      'files that the storage hashes for requests by SHA-256, in total; of one account',
      `${constant(hasher, 'requestedLimits', 'max')}; ${constant(hasher, 'requestedLimits', 'maxOfAccount')}`,
      `${wait}; 429 for an account with ${constant(hasher, 'requestedLimits', 'maxWaitingOfAccount')} waiting`,
    ],
    [
      'time that a request waits for a file to be hashed',
      duration(constant('storage/src/files/find-by-sha256.ts', 'defaultPatienceMs')),
      '503 with `Retry-After`',
    ],
    [
      'requests that wait for one of these limits, of one account; in total',
      `${constant(usage, 'usualLimits', 'maxWaitingOfAccount')}, for xorbs and shards ${constant(slots, 'ofOne', 'maxWaitingOfAccount')}; ${count(constant(usage, 'usualLimits', 'maxWaiting'))}`,
      tooMany,
    ],
    [
      'an upload that stalls; in total; slowest upload',
      [
        option('timeouts.idleSeconds', ' s'),
        option('timeouts.totalSeconds', ' s'),
        option('timeouts.minBytesPerSecond', ' bytes per second'),
      ].join('; '),
      '408',
    ],
    [
      'plain files that an account has not uploaded completely: uploads; bytes',
      `${constant(resumable, 'uploadBounds', 'uploads')}; ${count(constant(resumable, 'uploadBounds', 'bytes') / 1024 ** 3)} GiB`,
      '429; 413',
    ],
    [
      'time after the last byte in which an upload can be resumed',
      duration(constant('storage/src/catalog/upload-rows.ts', 'uploadSeconds') * 1000),
      'the upload is deleted',
    ],
    [
      'open grants of one account to upload to the object store',
      count(constant('storage/src/start-storage.ts', 'maxGrants')),
      '404; the client sends the xorb to the storage',
    ],
    [
      'time after a grant in which its upload must begin, at most the life of the token',
      duration(constant('storage/src/grants/request-grant.ts', 'maxGrantSeconds') * 1000),
      'the store refuses it',
    ],
    [
      'time after the end of a grant in which it can be committed',
      duration(constant('storage/src/catalog/grant-rows.ts', 'lateSeconds') * 1000),
      '404',
    ],
    [
      'time in which a direct download must begin, at most the life of the token',
      duration(constant('storage/src/blob-url/blob-permit.ts', 'maxDirectSeconds') * 1000),
      'the store refuses it; the client requests new URLs',
    ],
    [
      'bytes of one direct download, which a revocation does not stop',
      bytes(constant(xet, 'maxShardBytes')),
      'the client needs another URL',
    ],
    [
      'bytes of one repository',
      `${option('storage.quotaBytes')}; or its quota at the hub, if that is lower`,
      '413',
    ],
    [
      'bytes of all repositories of one namespace',
      'the quota of the namespace, in each storage',
      '413',
    ],
    ['xorbs and files of one repository', option('storage.quotaObjects'), '413'],
    ['free bytes that uploads leave on the disk', bytesOption('storage.reservedBytes'), '507'],
  ]
}

function gate(): readonly Row[] {
  return [
    [
      'forged tokens of one address per minute',
      option('limits.failuresPerMinute'),
      '429 for its forged tokens; its valid tokens pass',
    ],
    ['time to connect to the storage', option('timeouts.connectSeconds', ' s'), '504'],
    ['time until the storage begins its response', option('timeouts.headersSeconds', ' s'), '504'],
    [
      'a body that stalls, in either direction',
      option('timeouts.idleSeconds', ' s'),
      '408, or the gate closes the connection',
    ],
    ['slowest upload', option('timeouts.minBytesPerSecond', ' bytes per second'), '408'],
    [
      'one request in total',
      option('timeouts.totalSeconds', ' s'),
      '408 or 504, or the gate closes the connection',
    ],
    [
      'age of the revocation list while the hub does not respond',
      `${constant('protocol/src/time.ts', 'maxHeadSeconds')} s`,
      '503, unless `revocations.whenStale` is `allow`',
    ],
    [
      'age of the keys of the hub',
      duration(constant('service/src/http/kept-keys.ts', 'maxStaleSeconds') * 1000),
      '503',
    ],
    [
      'verified tokens in the cache',
      count(constant('gate/src/token/verify-bearer.ts', 'maxSeen')),
      'the gate verifies the token again',
    ],
  ]
}

function option(key: OptionKey, unit = ''): string {
  const { default: value } = options[key]
  const shown = typeof value === 'number' ? `${count(value)}${unit}` : 'none'
  return `${shown} (${code(key)})`
}

function bytesOption(key: OptionKey): string {
  const { default: value } = options[key]
  if (typeof value !== 'number') throw new Error(`${key} has no number`)
  return `${bytes(value)} (${code(key)})`
}

const units: Readonly<Record<string, number>> = {
  kib: 1024,
  kibibyte: 1024,
  mib: 1024 ** 2,
  mebibyte: 1024 ** 2,
}

/** The number after a name in a file of a package, or after a member behind that name. Throws where there is none. */
function constant(file: string, name: string, member?: string): number {
  const text = readFileSync(new URL(`../../packages/${file}`, import.meta.url), 'utf8')
  const anchors = [`const ${name} = `, `const ${name}: `, `function ${name}(`, `${name}: `, name]
  const anchor = anchors.find((one) => text.includes(one)) ?? name
  const [, ...behind] = text.split(anchor)
  const rest = behind.join(anchor).slice(0, 800)
  const before = member === undefined ? '^(?:[^=\\n]+ = )?' : `\\b${member}(?: =|:) `
  const factor = `(?:[\\d_]+|${Object.keys(units).join('|')})`
  const number = `([\\d_]+(?: ?\\*\\*? ?${factor})*)`
  const [, expression] = new RegExp(before + number).exec(rest) ?? []
  if (expression === undefined) throw new Error(`${file} has no number ${name} ${member ?? ''}`)
  return product(expression)
}

/** Of numbers, powers and units. */
function product(expression: string): number {
  const factors = expression.replaceAll(' ', '').split(/(?<!\*)\*(?!\*)/)
  return factors.reduce((result, factor) => {
    const [base = '', power = '1'] = factor.replaceAll('_', '').split('**')
    return result * (units[base] ?? Number(base)) ** Number(power)
  }, 1)
}

function bytes(amount: number): string {
  const names = ['bytes', 'KiB', 'MiB', 'GiB']
  let at = 0
  let left = amount
  while (left >= 1024 && left % 1024 === 0 && at < names.length - 1) {
    left /= 1024
    at += 1
  }
  return `${count(left)} ${names[at]}`
}

function duration(ms: number): string {
  if (ms >= 3_600_000 && ms % 3_600_000 === 0) return `${ms / 3_600_000} h`
  return `${ms / 1000} s`
}

/** With a space between thousands. */
function count(number: number): string {
  return String(number).replaceAll(/\B(?=(\d{3})+$)/g, number < 10_000 ? '' : ' ')
}
