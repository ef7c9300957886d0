/** The options about what a hub keeps, and where. */

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
      'Use the demo directory: a small ready-made world, with hub tokens that stay the same.',
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
