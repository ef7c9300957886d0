import type { Secret } from '@latchkey/protocol'
import { defaultReservedBytes } from '@latchkey/service/machine/data-directory'
import { defaultShardCaps } from '@latchkey/storage/bounds'
import { type CatalogueAddress, catalogueDatabase } from './database-kind.ts'
import * as kinds from './kind.ts'
import { option } from './option.ts'

const maxBytes = Number.MAX_SAFE_INTEGER

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
  storageCredential: option<Secret<'hub-token'> | undefined>({
    group: 'Storage',
    takers: ['storage', 'maintenance'],
    kind: kinds.hubToken,
    default: undefined,
    defaultText: 'none; must be given',
    summary:
      'The hub token of kind storage, with which a storage that runs alone follows its hub, and with which maintenance asks that hub.',
    secret: true,
  }),
  storageDatabase: option<CatalogueAddress>({
    group: 'Storage',
    takers: ['serve', 'storage', 'maintenance', 'catalogue'],
    kind: catalogueDatabase,
    default: 'sqlite:storage.db',
    summary:
      "The database of the storage's catalogue: a file in the data directory, or a PostgreSQL, in the schema latchkey_storage; the content stays in the data directory. What its address leaves out comes from PostgreSQL's own variables (PGHOST, PGPASSWORD, PGSSLMODE, …) and ~/.pgpass.",
  }),
  'storage.isolation': option<'ref' | 'repository'>({
    group: 'Storage',
    takers: ['serve', 'storage'],
    kind: kinds.choice(['ref', 'repository']),
    default: 'ref',
    summary:
      'How far content reaches: its own ref, with what a fork, tag or commit inherits; or every ref of its repository.',
  }),
  'storage.quotaBytes': option<number | undefined>({
    group: 'Storage',
    takers: ['serve', 'storage', 'measure'],
    kind: kinds.wholeNumber(1, maxBytes),
    default: undefined,
    defaultText: 'no limit',
    summary:
      "What one repository may hold in bytes, every ref's xorbs and files counted; a file counts by its list of chunks.",
  }),
  'storage.quotaObjects': option<number | undefined>({
    group: 'Storage',
    takers: ['serve', 'storage', 'measure'],
    kind: kinds.wholeNumber(1, maxBytes),
    default: undefined,
    defaultText: 'no limit',
    summary: "How many xorbs and files one repository may hold, every ref's counted.",
  }),
  'storage.reservedBytes': option<number>({
    group: 'Storage',
    takers: ['serve', 'storage'],
    kind: kinds.wholeNumber(0, maxBytes),
    default: defaultReservedBytes,
    summary:
      'How many bytes of the disk of the data directory uploads and commits leave free, so that the hub can still write down what is revoked. With less free space they get 507. 0 reserves nothing.',
  }),
  'storage.shardFiles': option<number>({
    group: 'Storage',
    takers: ['serve', 'storage'],
    kind: kinds.wholeNumber(1, 131_072),
    default: defaultShardCaps.files,
    summary:
      'How many files one shard may register, and so one commit of upload_folder. They are written in one transaction, and every other writer waits for it, up to about a second with the default.',
  }),
} as const
