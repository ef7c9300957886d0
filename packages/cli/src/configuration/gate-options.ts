/** The options of a gate, some of which the embedded storage shares. */

import {
  boundsOf,
  defaultPollSeconds,
  pollPatienceSeconds,
  type Secret,
  type SlashForm,
  type WriteRule,
} from '@latchkey/protocol'
import * as kinds from './kind.ts'
import { option } from './option.ts'

export const gateOptions = {
  issuer: option<string | undefined>({
    group: 'Gate',
    takers: ['storage', 'gate'],
    kind: kinds.serviceUrl,
    default: undefined,
    defaultText: 'the same as hub',
    summary: "The hub's publicUrl, if the gate or storage reaches the hub at another address.",
  }),
  isolation: option<'upstream' | 'none' | undefined>({
    group: 'Gate',
    takers: ['gate'],
    kind: kinds.choice(['upstream', 'none']),
    default: undefined,
    defaultText: 'by {repo} and {ref} of casUrl and upstream, which must then contain both',
    summary:
      'The separation of repositories and refs if casUrl or upstream does not separate them: upstream (the storage uses the identity headers), or none (a single tenant).',
  }),
  leewaySeconds: option<number>({
    group: 'Gate',
    takers: ['serve', 'storage', 'gate'],
    kind: kinds.wholeNumber(0, 60),
    default: 30,
    summary: 'The maximum difference between the clocks of hub and gate, or hub and storage.',
  }),
  'revocations.pollSeconds': option<number>({
    group: 'Gate',
    takers: ['serve', 'storage', 'gate'],
    kind: kinds.wholeNumber(1, 30),
    default: defaultPollSeconds,
    summary: `The interval of requests for the revocation list. Revoked tokens are rejected within this time plus ${pollPatienceSeconds} s.`,
  }),
  'revocations.whenStale': option<'reject' | 'allow'>({
    group: 'Gate',
    takers: ['serve', 'storage', 'gate'],
    kind: kinds.choice(['reject', 'allow']),
    default: 'reject',
    summary: `The behavior while the revocation list is stale, because the hub has not responded for ${boundsOf().withheldSeconds} s: reject requests with 503, or allow those that the last list permits.`,
  }),
  writeRoutes: option<readonly WriteRule[]>({
    group: 'Gate',
    takers: ['gate'],
    kind: kinds.writeRules,
    default: [],
    defaultText: 'none',
    summary: 'Additional routes that need a write token, besides shards and xorbs.',
  }),
  everyUnsafeMethodWrites: option<boolean>({
    group: 'Gate',
    takers: ['gate'],
    kind: kinds.onOff,
    default: false,
    summary:
      'Require a write token for every method but GET, HEAD and OPTIONS, at every path. Set it in front of your own storage; otherwise a read token may POST outside of shards and xorbs.',
  }),
  relaxOtherMethods: option<boolean>({
    group: 'Gate',
    takers: ['gate'],
    kind: kinds.onOff,
    default: false,
    summary: 'Let a read token use PUT, PATCH, DELETE and the like outside of shards and xorbs.',
  }),
  allowPaths: option<readonly SlashForm[]>({
    group: 'Gate',
    takers: ['gate'],
    kind: kinds.slashFormList,
    default: [],
    defaultText: 'none: such paths get 400',
    summary:
      'Slashes in keys that reach the storage unchanged: %2F (encoded-slash), and one at the end of the path (trailing-slash).',
  }),
  upstream: option<string | undefined>({
    group: 'Gate',
    takers: ['gate'],
    kind: kinds.upstream,
    default: undefined,
    defaultText: 'none; this or forwardAuth is required',
    summary:
      'The storage to which the gate forwards admitted requests. Its path contains {repo} and {ref}, which become the uids of repository and ref, unless isolation is set.',
    required: { gate: 'required, unless --forward-auth is set' },
  }),
  forwardAuth: option<'nginx' | 'caddy' | 'traefik' | 'envoy' | undefined>({
    group: 'Gate',
    takers: ['gate'],
    kind: kinds.choice(['nginx', 'caddy', 'traefik', 'envoy']),
    default: undefined,
    defaultText: 'none; this or upstream is required',
    summary: 'Do not forward requests; tell this proxy which requests to allow.',
    required: { gate: 'required, unless --upstream is set' },
  }),
  forwardAuthCacheSeconds: option<number>({
    group: 'Gate',
    takers: ['gate'],
    kind: kinds.wholeNumber(0, 300),
    default: 10,
    summary:
      'How long a proxy may cache a positive response; never beyond the exp of the token, nor beyond the time within which a revoked token must be rejected.',
  }),
  assertionKey: option<Secret<'assertion-key'> | undefined>({
    group: 'Gate',
    takers: ['gate'],
    kind: kinds.assertionKey,
    default: undefined,
    defaultText: 'none: no assertion is added',
    summary:
      'The key that signs assertions about admitted requests, for a storage that clients can reach without the gate.',
    secret: true,
  }),
  'timeouts.connectSeconds': option<number>({
    group: 'Gate',
    takers: ['gate'],
    kind: kinds.wholeNumber(1, 300),
    default: 5,
    summary: 'The maximum time to connect to the storage.',
  }),
  'timeouts.headersSeconds': option<number>({
    group: 'Gate',
    takers: ['gate'],
    kind: kinds.wholeNumber(1, 3600),
    default: 120,
    summary: 'The maximum time until the storage begins its response.',
  }),
  'timeouts.idleSeconds': option<number>({
    group: 'Gate',
    takers: ['serve', 'storage', 'gate'],
    kind: kinds.wholeNumber(1, 3600),
    default: 60,
    summary: 'The maximum time that a body makes no progress, in either direction.',
  }),
  'timeouts.totalSeconds': option<number>({
    group: 'Gate',
    takers: ['serve', 'storage', 'gate'],
    kind: kinds.wholeNumber(1, 86_400),
    default: 3600,
    summary: 'The maximum time of one request in all.',
  }),
  'timeouts.minBytesPerSecond': option<number>({
    group: 'Gate',
    takers: ['serve', 'storage', 'gate'],
    kind: kinds.wholeNumber(0, 1_000_000_000),
    default: 1024,
    summary: 'The minimum average speed of an upload over 20 s; 0 turns the check off.',
  }),
} as const
