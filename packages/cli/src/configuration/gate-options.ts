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
    summary: "The hub's publicUrl, where the gate or storage reaches it at another address.",
  }),
  isolation: option<'upstream' | 'none' | undefined>({
    group: 'Gate',
    takers: ['gate'],
    kind: kinds.choice(['upstream', 'none']),
    default: undefined,
    defaultText: 'by {repo} and {ref} of casUrl and upstream, which must then hold both',
    summary:
      'The part that keeps repositories and refs apart if casUrl or upstream does not: the storage, by the identity headers; or nobody, for a single tenant.',
  }),
  leewaySeconds: option<number>({
    group: 'Gate',
    takers: ['serve', 'storage', 'gate'],
    kind: kinds.wholeNumber(0, 60),
    default: 30,
    summary: 'How far the clocks of hub and gate, or hub and storage, may be apart.',
  }),
  'revocations.pollSeconds': option<number>({
    group: 'Gate',
    takers: ['serve', 'storage', 'gate'],
    kind: kinds.wholeNumber(1, 30),
    default: defaultPollSeconds,
    summary: `How often the hub is asked which tokens were taken back. They are refused within this time and ${pollPatienceSeconds} s more.`,
  }),
  'revocations.whenStale': option<'reject' | 'allow'>({
    group: 'Gate',
    takers: ['serve', 'storage', 'gate'],
    kind: kinds.choice(['reject', 'allow']),
    default: 'reject',
    summary: `What happens when the hub has been silent for ${boundsOf().withheldSeconds} s: requests are refused with 503, or judged by the last list of the hub, however old it is.`,
  }),
  writeRoutes: option<readonly WriteRule[]>({
    group: 'Gate',
    takers: ['gate'],
    kind: kinds.writeRules,
    default: [],
    defaultText: 'none',
    summary: 'Routes that want a write token beside shards and xorbs.',
  }),
  everyUnsafeMethodWrites: option<boolean>({
    group: 'Gate',
    takers: ['gate'],
    kind: kinds.onOff,
    default: false,
    summary:
      'Every method but GET, HEAD and OPTIONS wants a write token, at every path. Set it in front of a storage of your own; otherwise a POST outside of shards and xorbs reads.',
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
    defaultText: 'none; this or forwardAuth must be given',
    summary:
      'The storage that admitted requests are handed on to. Its path holds {repo} and {ref}, where the uids of repository and ref go, unless isolation is set.',
    required: { gate: 'required, unless --forward-auth is given' },
  }),
  forwardAuth: option<'nginx' | 'caddy' | 'traefik' | 'envoy' | undefined>({
    group: 'Gate',
    takers: ['gate'],
    kind: kinds.choice(['nginx', 'caddy', 'traefik', 'envoy']),
    default: undefined,
    defaultText: 'none; this or upstream must be given',
    summary: 'Hand nothing on, but tell this proxy which requests may pass.',
    required: { gate: 'required, unless --upstream is given' },
  }),
  forwardAuthCacheSeconds: option<number>({
    group: 'Gate',
    takers: ['gate'],
    kind: kinds.wholeNumber(0, 300),
    default: 10,
    summary:
      'How long a proxy that caches may keep a yes; never beyond the exp of the token, nor the time within which a token that was taken back must be refused.',
  }),
  assertionKey: option<Secret<'assertion-key'> | undefined>({
    group: 'Gate',
    takers: ['gate'],
    kind: kinds.assertionKey,
    default: undefined,
    defaultText: 'none: no assertion is added',
    summary: 'Signs who is let in, for a storage that others than the gate can reach.',
    secret: true,
  }),
  'timeouts.connectSeconds': option<number>({
    group: 'Gate',
    takers: ['gate'],
    kind: kinds.wholeNumber(1, 300),
    default: 5,
    summary: 'How long connecting to the storage may take.',
  }),
  'timeouts.headersSeconds': option<number>({
    group: 'Gate',
    takers: ['gate'],
    kind: kinds.wholeNumber(1, 3600),
    default: 120,
    summary: 'How long the storage may take to begin its answer.',
  }),
  'timeouts.idleSeconds': option<number>({
    group: 'Gate',
    takers: ['serve', 'storage', 'gate'],
    kind: kinds.wholeNumber(1, 3600),
    default: 60,
    summary: 'How long a body may stand still, in either direction.',
  }),
  'timeouts.totalSeconds': option<number>({
    group: 'Gate',
    takers: ['serve', 'storage', 'gate'],
    kind: kinds.wholeNumber(1, 86_400),
    default: 3600,
    summary: 'How long one request may take in all.',
  }),
  'timeouts.minBytesPerSecond': option<number>({
    group: 'Gate',
    takers: ['serve', 'storage', 'gate'],
    kind: kinds.wholeNumber(0, 1_000_000_000),
    default: 1024,
    summary: 'What an upload must bring on average over 20 s; 0 asks for nothing.',
  }),
} as const
