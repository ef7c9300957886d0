/** The options of the forge: who may make repositories, and how much of what. */

import * as kinds from './kind.ts'
import { option } from './option.ts'

const mostBytes = Number.MAX_SAFE_INTEGER

export const forgeOptions = {
  'forge.ownNamespaces': option<boolean>({
    group: 'Who may ask',
    takers: ['serve'],
    kind: kinds.onOff,
    default: false,
    summary:
      'With the forge, let every account create repositories in a namespace of its own name, which is made with the first of them. Without it, repositories are created by members with the role write alone.',
  }),
  'forge.quotaRepositories': option<number>({
    group: 'Limits',
    takers: ['serve'],
    kind: kinds.wholeNumber(1, 1_000_000_000),
    default: 10_000,
    summary: 'How many repositories a namespace may have before the forge creates no more in it.',
  }),
  'forge.quotaRefs': option<number>({
    group: 'Limits',
    takers: ['serve'],
    kind: kinds.wholeNumber(1, 1_000_000_000),
    default: 10_000,
    summary: 'How many refs a repository may have before the forge makes no more in it.',
  }),
  'forge.quotaBytes': option<number>({
    group: 'Limits',
    takers: ['serve'],
    kind: kinds.wholeNumber(1, mostBytes),
    default: 10 * 1024 ** 3,
    summary:
      'What git may take on the disk for one repository before the forge accepts no more commits to it. Large files lie in the storage, and count there.',
  }),
  'forge.commitBytes': option<number>({
    group: 'Limits',
    takers: ['serve'],
    kind: kinds.wholeNumber(1, mostBytes),
    default: 1024 ** 3,
    summary: 'How long the body of one commit may be, in bytes.',
  }),
} as const
