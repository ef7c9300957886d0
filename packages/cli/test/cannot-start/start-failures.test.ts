/** What keeps a hub from starting is told in one line, changes nothing, and can be repaired. */

import { createHash, randomBytes } from 'node:crypto'
import {
  chmodSync,
  cpSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from 'node:fs'
import { createServer } from 'node:net'
import { basename, join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { askHub } from '@latchkey/testing/hub/ask-hub'
import { dump } from '@latchkey/testing/hub/dump'
import {
  type Prepared,
  placesIn,
  prepareData,
  startQuietly,
} from '@latchkey/testing/hub/prepared-data'
import { latchkey } from '@latchkey/testing/machine/command'
import {
  copyOfData,
  filesIn,
  sharedFolder,
  temporaryFolder,
} from '@latchkey/testing/machine/folder'
import { beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { latchkeyHere } from '../run-here.ts'
import type { Ended } from '../run-latchkey.ts'
import { holdLock } from './hold-lock.ts'

interface Place extends Prepared {
  readonly folder: string
  /** The data as they were before anything broke. */
  readonly sound: string
}

/** How the command is run on what is broken. */
interface Attempt {
  readonly args?: readonly string[]
  readonly env?: Readonly<Record<string, string>>
  readonly isBoundByModes?: boolean
}

interface Failure {
  readonly cause: string
  /** The part of the line that says what happened, and the part that says what to do. */
  readonly says: RegExp
  readonly advises: RegExp
  /** 3 is "could not start"; a mistake in the options themselves is 2. */
  readonly code?: 2 | 3
  /** The hub appends to its journal before it opens its port, so an entry is left. */
  readonly isJournaled?: true
  breaks(place: Place): Attempt | Promise<Attempt>
  repairs?(place: Place): void | Promise<void>
}

let prepared: Prepared
const shared = sharedFolder()
beforeAll(async () => {
  prepared = await prepareData(shared)
})

const restoreDatabase = ({ database, sound }: Place) => cpSync(join(sound, 'latchkey.db'), database)
const restoreMasterKey = ({ masterKey, sound }: Place) => {
  cpSync(join(sound, 'master.key'), masterKey)
  chmodSync(masterKey, 0o600)
}
const otherKey = randomBytes(32).toString('base64')

const places: readonly Failure[] = [
  {
    cause: 'the port is taken',
    says: /port \d+ on 127\.0\.0\.1 is taken/,
    advises: /--port/,
    isJournaled: true,
    breaks: async () => ({ args: ['--port', String(await takenPort())] }),
  },
  {
    cause: 'the data directory is a file',
    says: /data directory .* is not a directory/,
    advises: /--data/,
    breaks({ data }) {
      renameSync(data, `${data}.aside`)
      writeFileSync(data, 'a file')
      return {}
    },
    repairs({ data }) {
      rmSync(data)
      renameSync(`${data}.aside`, data)
    },
  },
  {
    cause: 'the data directory belongs to somebody else',
    says: /data directory .* is not writable/,
    advises: /--data|chown|give it/,
    breaks({ data }) {
      chmodSync(data, 0o500)
      return { isBoundByModes: true }
    },
    repairs({ data }) {
      chmodSync(data, 0o700)
    },
  },
  {
    cause: 'the data directory cannot be made',
    says: /data directory .* cannot be made/,
    advises: /--data/,
    breaks({ folder }) {
      writeFileSync(join(folder, 'blocked'), 'a file')
      return { args: ['--data', join(folder, 'blocked', 'data')] }
    },
  },
  {
    cause: 'the data directory is open to other users',
    says: /open to other users \(mode 755\)/,
    advises: /chmod 700/,
    breaks({ data }) {
      chmodSync(data, 0o755)
      return {}
    },
    repairs: ({ data }) => chmodSync(data, 0o700),
  },
]

const databases: readonly Failure[] = [
  {
    cause: 'the database file is garbage',
    says: /damaged or is no Latchkey database/,
    advises: /Restore a backup/,
    breaks({ database }) {
      writeFileSync(database, randomBytes(65_536))
      return {}
    },
    repairs: restoreDatabase,
  },
  {
    cause: 'the database file is cut off in the middle',
    says: /damaged/,
    advises: /Restore a backup/,
    breaks({ database }) {
      truncateSync(database, Math.floor(statSync(database).size / 8192) * 4096)
      return {}
    },
    repairs: restoreDatabase,
  },
  {
    cause: 'the database file has been emptied',
    says: /empty/,
    advises: /Restore the database|Restore a backup/,
    breaks({ database }) {
      truncateSync(database)
      return {}
    },
    repairs: restoreDatabase,
  },
  {
    cause: 'pages of the database file are overwritten',
    says: /damaged/,
    advises: /Restore a backup/,
    breaks({ database }) {
      const bytes = readFileSync(database)
      writeFileSync(database, bytes.fill(0xab, 2 * 4096, 12 * 4096))
      return {}
    },
    repairs: restoreDatabase,
  },
  {
    cause: 'the database is from a newer version',
    says: /version 999/,
    advises: /Use that version, or restore a backup/,
    breaks: ({ database }) => runSql(database, 'PRAGMA user_version = 999'),
    repairs: restoreDatabase,
  },
  {
    cause: 'a restored copy is from a newer version',
    says: /version 999/,
    advises: /Use that version, or restore a backup/,
    breaks: ({ database }) =>
      runSql(database, 'PRAGMA journal_mode = DELETE; PRAGMA user_version = 999'),
    repairs: restoreDatabase,
  },
  {
    cause: 'another process holds the database locked',
    says: /locked by another process/,
    advises: /Stop that process/,
    async breaks({ database }) {
      await holdLock(database)
      return {}
    },
    repairs: ({ database }) => holdLock.release(database),
  },
  {
    cause: 'the data are those of a demo',
    says: /holds demo data/,
    advises: /--demo/,
    breaks: ({ database }) => runSql(database, "INSERT INTO settings VALUES ('demo', 'yes')"),
    repairs: restoreDatabase,
  },
  {
    cause: 'the demo is pointed at real data',
    says: /holds real data/,
    advises: /--data/,
    breaks: () => ({ args: ['--demo'] }),
  },
]

const keys: readonly Failure[] = [
  {
    cause: 'the master key is missing beside existing keys',
    says: /master\.key is missing and LATCHKEY_MASTER_KEY is not set/,
    advises: /Restore the one or set the other/,
    breaks({ masterKey }) {
      rmSync(masterKey)
      return {}
    },
    repairs: restoreMasterKey,
  },
  {
    cause: 'the master key is another one',
    says: /cannot be decrypted/,
    advises: /restore the file master\.key/,
    breaks({ masterKey }) {
      writeFileSync(masterKey, `${otherKey}\n`)
      return {}
    },
    repairs: restoreMasterKey,
  },
  {
    cause: 'the master key has the wrong length',
    says: /does not hold 32 bytes/,
    advises: /Restore it/,
    breaks({ masterKey }) {
      writeFileSync(masterKey, randomBytes(16).toString('base64'))
      return {}
    },
    repairs: restoreMasterKey,
  },
  {
    cause: 'the master key can be read by other users',
    says: /can be read by other users \(mode 644\)/,
    advises: /chmod 600/,
    breaks({ masterKey }) {
      chmodSync(masterKey, 0o644)
      return {}
    },
    repairs: ({ masterKey }) => chmodSync(masterKey, 0o600),
  },
  {
    cause: 'the master key is a directory',
    says: /master\.key/,
    advises: /Restore it/,
    breaks({ masterKey }) {
      rmSync(masterKey)
      mkdirSync(masterKey, { mode: 0o700 })
      return {}
    },
    repairs(place) {
      rmSync(place.masterKey, { recursive: true })
      restoreMasterKey(place)
    },
  },
  {
    cause: 'LATCHKEY_MASTER_KEY is another key',
    says: /cannot be decrypted/,
    advises: /Set LATCHKEY_MASTER_KEY to the right one/,
    breaks: () => ({ env: { LATCHKEY_MASTER_KEY: otherKey } }),
  },
]

const options: readonly Failure[] = [
  {
    cause: 'LATCHKEY_MASTER_KEY is no key',
    code: 2,
    says: /LATCHKEY_MASTER_KEY/,
    advises: /32 bytes in base64/,
    breaks: () => ({ env: { LATCHKEY_MASTER_KEY: 'not a key' } }),
  },
  {
    cause: 'casUrl is longer than 2048 characters',
    code: 2,
    says: /--cas-url/,
    advises: /at most 2048 characters/,
    breaks: () => ({ args: ['--cas-url', `https://cas.example/${'a'.repeat(2029)}`] }),
  },
  {
    cause: 'other machines could reach a hub that has no public URL',
    code: 2,
    says: /other machines can reach "0\.0\.0\.0"/,
    advises: /--public-url and --cas-url/,
    breaks: () => ({ args: ['--host', '0.0.0.0'] }),
  },
]

const failures = { place: places, database: databases, keys, options }

for (const [what, causes] of Object.entries(failures)) {
  describe(`a hub that cannot start because of its ${what} says so in one line, changes nothing and can be repaired`, () => {
    for (const failure of causes) test(failure.cause, () => prove(failure))
  })
}

test('a casUrl of exactly 2048 characters is taken', async () => {
  const place = freshPlace()
  const url = 'https://cas.example/{repo}/'.padEnd(2048, 'a')
  const hub = await startQuietly(place.data, { casUrl: url })
  const told = await askHub(hub.url, 'read models/acme/bert@main', {
    token: place.tokens['writer/write'] ?? '',
  })
  await hub.stop()
  const { casUrl } = JSON.parse(told.body) as { casUrl: string }
  expect(casUrl.replace(/(?<=example\/)\w+/, '{repo}')).toBe(url)
})

async function prove(failure: Failure): Promise<void> {
  const place = freshPlace()
  const attempt = await failure.breaks(place)
  const look = failure.isJournaled ? withoutJournal : onDisk
  const before = look(place)

  expectOneLine(await serveBroken(place, attempt), failure)
  expect(look(place)).toEqual(before)

  await failure.repairs?.(place)
  expect(await statusAfterRepair(place)).toBe(200)
}

function freshPlace(): Place {
  const folder = temporaryFolder()
  const data = copyOfData(prepared.data, join(folder, 'data'))
  return { ...placesIn(data), tokens: prepared.tokens, folder, sound: prepared.data }
}

function serveBroken(
  { folder, data }: Place,
  { args = [], env = {}, isBoundByModes }: Attempt,
): Promise<Ended> {
  const words = ['serve', '--port', '0', '--data', data, ...args]
  if (isBoundByModes) return latchkey(words, { cwd: folder, env, isBoundByModes })
  return latchkeyHere(words, { cwd: folder, env })
}

function expectOneLine({ code, stdout, stderr }: Ended, failure: Failure): void {
  expect(stderr).toMatch(/^latchkey: [^\n]+\n$/)
  expect(stderr).toMatch(failure.says)
  expect(stderr).toMatch(failure.advises)
  expect(stderr).not.toMatch(/unexpected error|Error:|\bat .*:\d+:\d+/)
  expect(stderr).not.toContain(otherKey)
  expect(stdout).toBe('')
  expect(code).toBe(failure.code ?? 3)
}

/** Files by name and content; SQLite's index of an empty journal says nothing about the data. */
function onDisk({ folder }: Pick<Place, 'folder'>): Record<string, string> {
  const files = [...filesIn(folder)].filter(
    ([name, bytes]) => !name.endsWith('-shm') && !(name.endsWith('-wal') && bytes.length === 0),
  )
  const digest = (bytes: Buffer) => createHash('sha256').update(bytes).digest('hex')
  return Object.fromEntries(files.map(([name, bytes]) => [name, digest(bytes)]))
}

/** The same with the tables of the database in place of its file, without the journal. */
function withoutJournal({ folder, database }: Place): object {
  // Each start writes down which storages its configuration names.
  const { journal, journal_head, settings, ...tables } = dump(database)
  const { [basename(database)]: file, ...others } = onDisk({ folder })
  return { ...others, tables }
}

async function statusAfterRepair({ data, tokens }: Place): Promise<number> {
  const hub = await startQuietly(data)
  try {
    const token = tokens['writer/write'] ?? ''
    return (await askHub(hub.url, 'write models/acme/bert@main', { token })).status
  } finally {
    await hub.stop()
  }
}

function runSql(database: string, sql: string): Attempt {
  const connection = new DatabaseSync(database)
  connection.exec(sql)
  connection.close()
  return {}
}

function takenPort(): Promise<number> {
  return new Promise((resolve) => {
    const server = createServer().listen(0, '127.0.0.1', () => {
      const address = server.address()
      resolve(typeof address === 'object' && address !== null ? address.port : 0)
    })
    onTestFinished(() => void server.close())
  })
}
