/** The options of the embedded storage. */

import * as kinds from './kind.ts'
import { option } from './option.ts'

const mostBytes = Number.MAX_SAFE_INTEGER

export const storageOptions = {
  storage: option<boolean>({
    group: 'Storage',
    takers: ['serve'],
    kind: kinds.onOff,
    default: true,
    summary: 'Run the embedded storage beside the hub; turn it off to bring your own.',
  }),
  storagePort: option<number | undefined>({
    group: 'Storage',
    takers: ['serve'],
    kind: kinds.wholeNumber(0, 65535),
    default: undefined,
    defaultText: '8081; 0 when port is 0',
    summary:
      'The port the storage listens on, at the same address as the hub; 0 takes any free one. Where casUrl is left out it names this port, also for a storage of your own.',
  }),
  'storage.isolation': option<'ref' | 'repository'>({
    group: 'Storage',
    takers: ['serve'],
    kind: kinds.choice(['ref', 'repository']),
    default: 'ref',
    summary:
      'How far content reaches: its own ref, with what a fork, tag or commit inherits; or every ref of its repository.',
  }),
  'storage.quotaBytes': option<number | undefined>({
    group: 'Storage',
    takers: ['serve', 'measure'],
    kind: kinds.wholeNumber(1, mostBytes),
    default: undefined,
    defaultText: 'no limit',
    summary:
      "What one repository may hold in bytes, every ref's xorbs and files counted; a file counts by its list of chunks.",
  }),
  'storage.quotaObjects': option<number | undefined>({
    group: 'Storage',
    takers: ['serve', 'measure'],
    kind: kinds.wholeNumber(1, mostBytes),
    default: undefined,
    defaultText: 'no limit',
    summary: "How many xorbs and files one repository may hold, every ref's counted.",
  }),
} as const
