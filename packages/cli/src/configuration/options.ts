/** Every option there is: the one table behind flags, variables, the file, the help and the documentation. */

import type { IssuerSettings } from '@latchkey/hub'
import type { NamedStorage } from '@latchkey/protocol'
import { logLevels } from '@latchkey/service/observe/log'
import { dataOptions, tokenOptions, whichHubOptions } from './data-options.ts'
import { forgeOptions } from './forge-options.ts'
import { gateOptions } from './gate-options.ts'
import { identityOptions } from './identity-options.ts'
import { issuers } from './issuers-kind.ts'
import * as kinds from './kind.ts'
import { objectsOptions } from './objects-options.ts'
import { type Option, option } from './option.ts'
import { storageOptions } from './storage-options.ts'

export const options = {
  host: option<string>({
    group: 'Addresses',
    takers: ['serve', 'storage', 'forge', 'gate'],
    kind: kinds.host,
    default: '127.0.0.1',
    summary:
      'The address to listen on; a hub that other machines can reach needs publicUrl and casUrl.',
  }),
  port: option<number | undefined>({
    group: 'Addresses',
    takers: ['serve', 'storage', 'forge', 'gate'],
    kind: kinds.wholeNumber(0, 65535),
    default: undefined,
    defaultText: '8080, for the gate 8082, for a separate storage 8081, for a separate forge 8083',
    summary: 'The port to listen on; 0 takes any free one.',
  }),
  publicUrl: option<string | undefined>({
    group: 'Addresses',
    takers: ['serve', 'forge'],
    kind: kinds.serviceUrl,
    default: undefined,
    defaultText: 'http://HOST:PORT on a loopback address; at a separate forge, the same as hub',
    summary:
      'The URL at which clients reach the hub; it becomes the issuer of every storage token.',
  }),
  casUrl: option<string | undefined>({
    group: 'Addresses',
    takers: ['serve', 'storage', 'gate'],
    kind: kinds.casUrl,
    default: undefined,
    defaultText:
      'http://HOST:STORAGE-PORT/r/{repo}/{ref} on a loopback address; required for the gate and a separate storage',
    summary:
      'The URL of the storage for clients; {repo} and {ref} become the ids of repository and ref. Hub, gate and storage must have the same value.',
    required: { storage: 'required', gate: 'required' },
  }),
  storages: option<readonly NamedStorage[]>({
    group: 'Addresses',
    takers: ['serve'],
    kind: kinds.storages,
    default: [],
    defaultText: 'none',
    summary:
      'More storages; the one at casUrl is called "default". A repository stays on the storage on which it was created.',
  }),
  ...dataOptions,
  ...tokenOptions,
  hubTokenPrefix: option<string>({
    group: 'Tokens',
    takers: ['serve', 'make-token'],
    kind: kinds.prefix,
    default: 'lk_',
    summary: 'The prefix of new hub tokens; tokens with earlier prefixes stay valid.',
  }),
  deviceClients: option<Readonly<Record<string, string>>>({
    group: 'Access',
    takers: ['serve'],
    kind: kinds.deviceClients,
    default: {},
    defaultText: 'only hf and latchkey',
    summary:
      'Programs that may sign in through a browser: the client_id of each, and the name that people see when they approve.',
  }),
  hidePrivateRepositories: option<boolean>({
    group: 'Access',
    takers: ['serve', 'explain'],
    kind: kinds.onOff,
    default: false,
    summary: 'Respond with "does not exist" (404) instead of 403 for a private repository.',
  }),
  anonymousPublicRead: option<boolean | undefined>({
    group: 'Access',
    takers: ['serve'],
    kind: kinds.onOff,
    default: undefined,
    defaultText: 'off, with demo on',
    summary: 'Give read tokens for public repositories to callers without a hub token.',
  }),
  'compat.huggingface': option<boolean>({
    group: 'Access',
    takers: ['serve'],
    kind: kinds.onOff,
    default: false,
    summary: 'Serve the paths and headers that Hugging Face clients use.',
  }),
  'cors.origins': option<readonly string[]>({
    group: 'Access',
    takers: ['serve', 'storage', 'gate'],
    kind: kinds.origins,
    default: [],
    defaultText: 'none',
    summary: 'The web origins whose pages may request tokens or use the storage; * is any origin.',
  }),
  'cors.allowAnonymousAnyOrigin': option<boolean>({
    group: 'Access',
    takers: ['serve'],
    kind: kinds.onOff,
    default: false,
    summary:
      'Allow cors.origins * together with anonymousPublicRead: any web page may then send requests from inside your network.',
  }),
  allowedHosts: option<readonly string[]>({
    group: 'Access',
    takers: ['serve', 'storage', 'forge', 'gate'],
    kind: kinds.hostNames,
    default: [],
    defaultText: 'none',
    summary:
      'Additional accepted host names, besides that of publicUrl (hub, forge, operations) or casUrl (storage, gate), loopback names, and the address of the connection; * is any name.',
  }),
  trustedProxies: option<readonly string[]>({
    group: 'Access',
    takers: ['serve', 'storage', 'forge', 'gate'],
    kind: kinds.addressRanges,
    default: [],
    defaultText: 'none',
    summary:
      'The proxies whose X-Forwarded-For header the hub, storage, forge or gate trusts; at a forge, the hub is one.',
  }),
  'journal.retentionDays': option<number>({
    group: 'Data',
    takers: ['serve'],
    kind: kinds.wholeNumber(0, 36_500),
    default: 0,
    summary: 'How many days the journal of changes keeps its entries; 0 keeps them all.',
  }),
  ...identityOptions,
  'revoke.enabled': option<boolean>({
    group: 'Access',
    takers: ['serve'],
    kind: kinds.onOff,
    default: true,
    summary: 'Accept reports of leaked tokens at POST /revoke, and revoke these tokens.',
  }),
  'revoke.partnerKeys': option<string | undefined>({
    group: 'Access',
    takers: ['serve'],
    kind: kinds.file,
    default: undefined,
    defaultText: 'none; lists need no signature',
    summary:
      "A JSON file with the keys of a secret-scanning partner, as GitHub's /meta/public_keys/secret_scanning has them: reports in the form of a list must then be signed.",
  }),
  'trustedPublishers.issuers': option<readonly IssuerSettings[]>({
    group: 'Access',
    takers: ['serve'],
    kind: issuers,
    default: [],
    defaultText: 'none',
    summary:
      'The platforms whose CI jobs may exchange id tokens for hub tokens, such as https://token.actions.githubusercontent.com.',
  }),
  'limits.requestsPerMinute': option<number>({
    group: 'Limits',
    takers: ['serve'],
    kind: kinds.wholeNumber(0, 1_000_000_000),
    default: 6000,
    summary: 'Token requests a minute for one hub token; 0 is no limit.',
  }),
  'limits.failuresPerMinute': option<number>({
    group: 'Limits',
    takers: ['serve', 'storage', 'gate'],
    kind: kinds.wholeNumber(0, 1_000_000_000),
    default: 300,
    summary:
      'Requests a minute from one address without a valid hub token, or at the gate with an invalid storage token; 0 is no limit.',
  }),
  'limits.connections': option<number>({
    group: 'Limits',
    takers: ['serve', 'storage', 'forge', 'gate'],
    kind: kinds.wholeNumber(1, 1_000_000),
    default: 10_000,
    summary: 'Connections open at once.',
  }),
  'operations.port': option<number | undefined>({
    group: 'Operation',
    takers: ['serve', 'storage', 'forge', 'gate'],
    kind: kinds.wholeNumber(0, 65535),
    default: undefined,
    defaultText: 'on the main port; at the gate not at all',
    summary: 'A separate port for /healthz, /readyz and /metrics.',
  }),
  'operations.host': option<string>({
    group: 'Operation',
    takers: ['serve', 'storage', 'forge', 'gate'],
    kind: kinds.host,
    default: '127.0.0.1',
    summary: 'The address for operations.port.',
  }),
  'log.level': option<(typeof logLevels)[number] | undefined>({
    group: 'Operation',
    takers: ['serve', 'storage', 'forge', 'gate'],
    kind: kinds.choice(logLevels),
    default: undefined,
    defaultText: 'info, with demo warn',
    summary: 'The minimum level of the lines that are logged, as JSON on standard output.',
  }),
  stopDeadlineSeconds: option<number>({
    group: 'Operation',
    takers: ['serve', 'storage', 'forge', 'gate'],
    kind: kinds.wholeNumber(0, 3600),
    default: 10,
    summary: 'How long requests may take to finish after the signal to stop.',
  }),
  ...forgeOptions,
  ...storageOptions,
  ...objectsOptions,
  ...whichHubOptions,
  ...gateOptions,
} as const

export type OptionKey = keyof typeof options

export type Values = {
  readonly [Key in OptionKey]: (typeof options)[Key] extends Option<infer Value> ? Value : never
}

export const optionKeys = Object.keys(options) as readonly OptionKey[]

/** A row without the type of its value, for code that treats all alike. */
export function rowOf(key: OptionKey): Option<unknown> {
  return options[key] as unknown as Option<unknown>
}

/** Names a file for the rest, so it cannot itself stand in one. */
export const configOption = {
  flag: '--config',
  variable: 'LATCHKEY_CONFIG',
  placeholder: 'file',
  summary: 'A JSON file with any of the options below under their keys.',
} as const
