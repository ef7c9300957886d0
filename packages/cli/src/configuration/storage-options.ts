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
    summary: 'Run the embedded storage together with the hub; turn it off to use your own.',
  }),
  storagePort: option<number | undefined>({
    group: 'Storage',
    takers: ['serve'],
    kind: kinds.wholeNumber(0, 65535),
    default: undefined,
    defaultText: '8081; 0 when port is 0',
    summary:
      'The port the storage listens on, at the same address as the hub; 0 takes any free one. The default casUrl uses this port, also for your own storage.',
  }),
  storageCredential: option<Secret<'hub-token'> | undefined>({
    group: 'Storage',
    takers: ['storage', 'maintenance'],
    kind: kinds.hubToken,
    default: undefined,
    defaultText: 'none; required',
    summary:
      'The hub token of kind storage, with which a separate storage and its maintenance commands send requests to the hub.',
    secret: true,
  }),
  storageDatabase: option<CatalogueAddress>({
    group: 'Storage',
    takers: ['serve', 'storage', 'maintenance', 'catalogue'],
    kind: catalogueDatabase,
    default: 'sqlite:storage.db',
    summary:
      "The database of the storage's catalogue: a file in the data directory, or a PostgreSQL with the schema latchkey_storage; the content stays in the data directory. PostgreSQL's own variables (PGHOST, PGPASSWORD, PGSSLMODE, …) and ~/.pgpass complete its address.",
  }),
  storageMasterKey: option<Secret<'storage-master-key'> | undefined>({
    group: 'Storage',
    takers: ['serve', 'storage', 'maintenance'],
    kind: kinds.storageMasterKey,
    default: undefined,
    defaultText: 'none; required with a catalogue in PostgreSQL and content in a bucket',
    summary:
      'The secret behind the keys that sign blob URLs: the same for all storages that share a catalogue. "latchkey storage rotate-key" replaces the keys.',
    secret: true,
  }),
  'storage.isolation': option<'ref' | 'repository'>({
    group: 'Storage',
    takers: ['serve', 'storage'],
    kind: kinds.choice(['ref', 'repository']),
    default: 'ref',
    summary:
      'The visibility of content: in its own ref, and in a fork, tag or commit that inherits it; or in every ref of its repository.',
  }),
  'storage.quotaBytes': option<number | undefined>({
    group: 'Storage',
    takers: ['serve', 'storage', 'measure'],
    kind: kinds.wholeNumber(1, maxBytes),
    default: undefined,
    defaultText: 'no limit',
    summary:
      'The maximum number of bytes in one repository, with the xorbs and files of every ref; a file counts by its list of chunks.',
  }),
  'storage.quotaObjects': option<number | undefined>({
    group: 'Storage',
    takers: ['serve', 'storage', 'measure'],
    kind: kinds.wholeNumber(1, maxBytes),
    default: undefined,
    defaultText: 'no limit',
    summary: 'The maximum number of xorbs and files in one repository, with those of every ref.',
  }),
  'storage.reservedBytes': option<number>({
    group: 'Storage',
    takers: ['serve', 'storage', 'forge'],
    kind: kinds.wholeNumber(0, maxBytes),
    default: defaultReservedBytes,
    summary:
      'The bytes that uploads and commits leave free on the disk of the data directory, so that the hub can still record revocations. With less free space, they get 507. 0 turns the reserve off.',
  }),
  'storage.deletedKeepDays': option<number | undefined>({
    group: 'Storage',
    takers: ['serve', 'storage', 'maintenance'],
    kind: kinds.wholeNumber(0, 3650),
    default: undefined,
    defaultText: '7 with content in a bucket, 0 in the data directory',
    summary:
      'How many days the bytes of deleted content stay in the object store, for a backup of the catalogue that names them.',
  }),
  'storage.shardFiles': option<number>({
    group: 'Storage',
    takers: ['serve', 'storage'],
    kind: kinds.wholeNumber(1, 131_072),
    default: defaultShardCaps.files,
    summary:
      'The maximum number of files in one shard, and so in one commit of upload_folder. One transaction writes them, and every other writer waits for it, up to about a second with the default.',
  }),
} as const
