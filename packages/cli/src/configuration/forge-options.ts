import type { Secret } from '@latchkey/protocol'
import * as kinds from './kind.ts'
import { option } from './option.ts'

const maxBytes = Number.MAX_SAFE_INTEGER

export const forgeOptions = {
  forge: option<boolean | undefined>({
    group: 'Forge',
    takers: ['serve'],
    kind: kinds.onOff,
    default: undefined,
    defaultText: 'off, with demo on',
    summary:
      'Run the forge together with the hub: it serves repositories to hf, huggingface_hub and git. It needs git on this machine, keeps repositories in the data directory, and turns compat.huggingface on.',
  }),
  'forge.url': option<string | undefined>({
    group: 'Forge',
    takers: ['serve'],
    kind: kinds.serviceUrl,
    default: undefined,
    defaultText: 'none',
    summary:
      'The URL of a separate forge, instead of forge: the hub forwards requests for repositories to it. It turns compat.huggingface on.',
  }),
  'forge.port': option<number>({
    group: 'Forge',
    takers: ['serve'],
    kind: kinds.wholeNumber(0, 65535),
    default: 0,
    defaultText: 'any free one',
    summary:
      'The port that the forge of the hub listens on, at 127.0.0.1, for a proxy that sends requests for repositories there.',
  }),
  forgeCredential: option<Secret<'hub-token'> | undefined>({
    group: 'Forge',
    takers: ['forge'],
    kind: kinds.hubToken,
    default: undefined,
    defaultText: 'none; required',
    summary: 'The hub token of kind forge, with which a separate forge sends requests to the hub.',
    secret: true,
  }),
  'forge.ownNamespaces': option<boolean>({
    group: 'Access',
    takers: ['serve'],
    kind: kinds.onOff,
    default: false,
    summary:
      'With the forge, let every account create repositories in a namespace with its own name; the first repository creates the namespace. Without it, only members with the role write create repositories.',
  }),
  'forge.quotaRepositories': option<number>({
    group: 'Limits',
    takers: ['serve'],
    kind: kinds.wholeNumber(1, 1_000_000_000),
    default: 10_000,
    summary: 'The maximum number of repositories in a namespace; the forge creates no more.',
  }),
  'forge.quotaRefs': option<number>({
    group: 'Limits',
    takers: ['serve'],
    kind: kinds.wholeNumber(1, 1_000_000_000),
    default: 10_000,
    summary: 'The maximum number of refs in a repository; the forge creates no more.',
  }),
  'forge.quotaBytes': option<number>({
    group: 'Limits',
    takers: ['serve', 'forge'],
    kind: kinds.wholeNumber(1, maxBytes),
    default: 10 * 1024 ** 3,
    summary:
      'The maximum size on the disk of one git repository; the forge rejects further commits. Large files count in the storage instead.',
  }),
  'forge.commitBytes': option<number>({
    group: 'Limits',
    takers: ['serve', 'forge'],
    kind: kinds.wholeNumber(1, maxBytes),
    default: 1024 ** 3,
    summary: 'The maximum size of the body of one commit, in bytes.',
  }),
  'forge.pushBytes': option<number>({
    group: 'Limits',
    takers: ['serve', 'forge'],
    kind: kinds.wholeNumber(1, maxBytes),
    default: 2 * 1024 ** 3,
    summary: 'The maximum size of the objects of one push by git, in bytes.',
  }),
} as const
