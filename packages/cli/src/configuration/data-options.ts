import type { Secret } from '@latchkey/protocol'
import { type DatabaseAddress, database, directDatabase } from './database-kind.ts'
import * as kinds from './kind.ts'
import { option } from './option.ts'

export const dataOptions = {
  data: option<string | undefined>({
    group: 'Data',
    takers: ['serve', 'storage', 'forge', 'forge-data', 'manage'],
    kind: kinds.directory,
    default: undefined,
    defaultText:
      './latchkey-data, with demo ./latchkey-demo; for a separate storage ./latchkey-storage-data, for a separate forge ./latchkey-forge-data',
    summary:
      'The directory for database, keys and content; created if it is missing, for its owner only.',
  }),
  database: option<DatabaseAddress>({
    group: 'Data',
    takers: ['serve', 'manage'],
    kind: database,
    default: 'sqlite:latchkey.db',
    summary:
      "The database: a file (a relative name is in the data directory) or a PostgreSQL. PostgreSQL's own variables (PGHOST, PGPASSWORD, PGSSLMODE, …) and ~/.pgpass complete its address.",
  }),
  directDatabase: option<DatabaseAddress | undefined>({
    group: 'Data',
    takers: ['serve'],
    kind: directDatabase,
    default: undefined,
    defaultText: 'the database itself',
    summary:
      'The address of the PostgreSQL server itself, if database leads through a pooler such as pgbouncer. Through a pooler, a hub learns of changes by other hubs within a second; with this address, immediately.',
  }),
  stalenessSeconds: option<number>({
    group: 'Data',
    takers: ['serve'],
    kind: kinds.wholeNumber(2, 60),
    default: 5,
    summary:
      'The maximum age of the permissions that a hub has read when it signs a token. With PostgreSQL, an account can still get tokens for this long after its access was removed.',
  }),
  demo: option<boolean>({
    group: 'Data',
    takers: ['serve', 'manage'],
    kind: kinds.onOff,
    default: false,
    summary:
      'Use the demo data: example accounts and repositories, with hub tokens that stay the same.',
  }),
  masterKey: option<Secret<'master-key'> | undefined>({
    group: 'Data',
    takers: ['serve'],
    kind: kinds.masterKey,
    default: undefined,
    defaultText: 'a key file in the data directory, created at the first start',
    summary: 'The key that encrypts the signing keys; "latchkey keys rewrap" changes it.',
    secret: true,
  }),
} as const

export const tokenOptions = {
  'token.lifetimeSeconds': option<number>({
    group: 'Tokens',
    takers: ['serve'],
    kind: kinds.wholeNumber(120, 86_400),
    default: 900,
    summary:
      'The lifetime of a storage token; it never ends later than the hub token that requested it.',
  }),
  'token.algorithm': option<'ES256' | 'EdDSA'>({
    group: 'Tokens',
    takers: ['serve'],
    kind: kinds.choice(['ES256', 'EdDSA']),
    default: 'ES256',
    summary:
      'The signature algorithm of storage tokens. ES256 is verified faster and supported everywhere.',
  }),
  'keys.rotationDays': option<number>({
    group: 'Tokens',
    takers: ['serve'],
    kind: kinds.wholeNumber(0, 3650),
    default: 90,
    summary:
      'The number of days that a signing key signs. The hub publishes its successor after half of them, and the successor signs when a sixth is left. 0 creates no new key without "latchkey keys rotate".',
  }),
} as const

export const whichHubOptions = {
  hub: option<string | undefined>({
    group: 'Hub',
    takers: ['storage', 'forge', 'maintenance', 'gate', 'client'],
    kind: kinds.serviceUrl,
    default: undefined,
    defaultText:
      'the hub of your last login; required for the gate, a separate storage and a separate forge',
    summary: 'The hub that issues the storage tokens.',
    required: { storage: 'required', forge: 'required', gate: 'required' },
  }),
  allowPlainHttp: option<boolean>({
    group: 'Hub',
    takers: ['serve', 'storage', 'forge', 'maintenance', 'gate', 'client'],
    kind: kinds.onOff,
    default: false,
    summary:
      'Use plain http to a hub or an object store on another machine. Anyone on the network path can read and modify the traffic, including tokens and keys.',
  }),
  caCert: option<string | undefined>({
    group: 'Hub',
    takers: ['serve', 'storage', 'forge', 'maintenance', 'gate', 'client', 'remote'],
    kind: kinds.file,
    default: undefined,
    defaultText: 'none; the certificates that Node trusts',
    summary:
      'A PEM file with additional certificates to trust: of your own issuer, or a self-signed one. It applies to the hub, the storage and the object store.',
  }),
} as const
