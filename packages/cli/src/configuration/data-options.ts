import type { Secret } from '@latchkey/protocol'
import { type DatabaseAddress, database, directDatabase } from './database-kind.ts'
import * as kinds from './kind.ts'
import { option } from './option.ts'

export const dataOptions = {
  data: option<string | undefined>({
    group: 'Data',
    takers: ['serve', 'storage', 'manage'],
    kind: kinds.directory,
    default: undefined,
    defaultText:
      './latchkey-data, with demo ./latchkey-demo; for a storage alone ./latchkey-storage-data',
    summary: 'The directory for database, keys and content; made when missing, for its owner only.',
  }),
  database: option<DatabaseAddress>({
    group: 'Data',
    takers: ['serve', 'manage'],
    kind: database,
    default: 'sqlite:latchkey.db',
    summary:
      "The database: a file, which lies in the data directory if its name is relative, or a PostgreSQL. What its address leaves out comes from PostgreSQL's own variables (PGHOST, PGPASSWORD, PGSSLMODE, …) and ~/.pgpass.",
  }),
  directDatabase: option<DatabaseAddress | undefined>({
    group: 'Data',
    takers: ['serve'],
    kind: directDatabase,
    default: undefined,
    defaultText: 'the database itself',
    summary:
      'The address of the PostgreSQL server itself, where database leads through a pooler such as pgbouncer: through a pooler a hub hears of the changes of other hubs within a second, and with this address at once.',
  }),
  stalenessSeconds: option<number>({
    group: 'Data',
    takers: ['serve'],
    kind: kinds.wholeNumber(2, 60),
    default: 5,
    summary:
      'How old what a hub knows of the directory may be when it signs a token; with PostgreSQL, how long access that was withdrawn may still get one.',
  }),
  demo: option<boolean>({
    group: 'Data',
    takers: ['serve', 'manage'],
    kind: kinds.onOff,
    default: false,
    summary:
      'Use the demo data: example accounts and repositories, with hub tokens that stay the same.',
  }),
  forge: option<boolean | undefined>({
    group: 'Data',
    takers: ['serve'],
    kind: kinds.onOff,
    default: undefined,
    defaultText: 'off, with demo on',
    summary:
      'Serve the rest of a hub, too: repositories in git, with files, trees, commits and git clone, as hf and huggingface_hub ask for them. It needs git on this machine, keeps repositories in the data directory, and turns compat.huggingface on.',
  }),
  masterKey: option<Secret<'master-key'> | undefined>({
    group: 'Data',
    takers: ['serve'],
    kind: kinds.masterKey,
    default: undefined,
    defaultText: 'a key file in the data directory, made on first start',
    summary: 'The key that the signing keys are encrypted with; "latchkey keys rewrap" changes it.',
    secret: true,
  }),
} as const

export const tokenOptions = {
  'token.lifetimeSeconds': option<number>({
    group: 'Tokens',
    takers: ['serve'],
    kind: kinds.wholeNumber(120, 86_400),
    default: 900,
    summary: 'How long a storage token lives; never longer than the hub token that asked for it.',
  }),
  'token.algorithm': option<'ES256' | 'EdDSA'>({
    group: 'Tokens',
    takers: ['serve'],
    kind: kinds.choice(['ES256', 'EdDSA']),
    default: 'ES256',
    summary: 'The signature of storage tokens; ES256 is verified faster and known everywhere.',
  }),
  'keys.rotationDays': option<number>({
    group: 'Tokens',
    takers: ['serve'],
    kind: kinds.wholeNumber(0, 3650),
    default: 90,
    summary:
      'How many days a signing key signs: its successor is published at half of them and signs when a sixth is left; 0 makes no new key without "latchkey keys rotate".',
  }),
} as const

export const whichHubOptions = {
  hub: option<string | undefined>({
    group: 'Hub',
    takers: ['storage', 'maintenance', 'gate', 'client'],
    kind: kinds.serviceUrl,
    default: undefined,
    defaultText: 'the one logged in to last; must be given to the gate and to a storage alone',
    summary: 'The hub that the storage tokens come from.',
    required: { storage: 'required', gate: 'required' },
  }),
  allowPlainHttp: option<boolean>({
    group: 'Hub',
    takers: ['storage', 'maintenance', 'gate', 'client'],
    kind: kinds.onOff,
    default: false,
    summary:
      'Speak with a hub on another machine without https: whoever stands between can read and change what is said, tokens and keys included.',
  }),
  caCert: option<string | undefined>({
    group: 'Hub',
    takers: ['storage', 'maintenance', 'gate', 'client', 'remote'],
    kind: kinds.file,
    default: undefined,
    defaultText: 'none; those that Node trusts',
    summary:
      'A PEM file with certificates to trust beside the usual ones: of your own issuer, or a self-signed one. It holds for hub and storage alike.',
  }),
} as const

const maxBytes = Number.MAX_SAFE_INTEGER

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
    kind: kinds.wholeNumber(1, maxBytes),
    default: 10 * 1024 ** 3,
    summary:
      'What git may take on the disk for one repository before the forge accepts no more commits to it. Large files lie in the storage, and count there.',
  }),
  'forge.commitBytes': option<number>({
    group: 'Limits',
    takers: ['serve'],
    kind: kinds.wholeNumber(1, maxBytes),
    default: 1024 ** 3,
    summary: 'How long the body of one commit may be, in bytes.',
  }),
} as const
