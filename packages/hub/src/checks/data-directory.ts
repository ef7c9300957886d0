import { existsSync, readdirSync, type Stats, statSync } from 'node:fs'
import { basename, dirname, join, resolve } from 'node:path'
import {
  type Check,
  type Finding,
  findingsOfFile,
  goodFinding,
  skippedFinding,
  warningFinding,
  wrongFinding,
} from '@latchkey/service/checks'
import { typedWord } from '@latchkey/service/text'
import { refuseDemoData } from '../data/demo-tokens.ts'
import { refuseLostStore } from '../data/open-store.ts'
import { inspectStore } from '../stores/sqlite/open-store.ts'
import type { HubInstallation } from './with-store.ts'

export const dataDirectory: Check<HubInstallation> = {
  name: 'data directory',
  async run(installation) {
    const { data } = installation.settings
    const status = statSync(data, { throwIfNoEntry: false })
    if (status === undefined) return [notThere(data)]
    if (!status.isDirectory()) {
      return [wrongFinding(`${data} is not a directory`, 'Choose another with --data.')]
    }
    const ofDirectory = [...openToOthers(data, status), ...ofAnotherUser(data, status)]
    if (ofDirectory.length > 0) return ofDirectory
    const ofFiles = filesOf(installation).flatMap((file) => findingsOf(file, status))
    return ofFiles.length > 0
      ? ofFiles
      : [goodFinding(`${data} and its files are for their owner only`)]
  },
}

function notThere(data: string): Finding {
  return warningFinding(
    `there is no ${data} yet`,
    'The first start of "latchkey serve" makes it; or name the right one with --data.',
  )
}

function openToOthers(data: string, { mode }: Stats): readonly Finding[] {
  if ((mode & 0o077) === 0) return []
  return [
    wrongFinding(
      `${data} is open to other users (mode ${modeText(mode)})`,
      `Keys lie in it, and the hub does not start: run chmod 700 ${typedWord(data)}`,
    ),
  ]
}

/** Root looks at the data of any user. */
function ofAnotherUser(data: string, { uid }: Stats): readonly Finding[] {
  const own = process.geteuid?.()
  if (own === undefined || own === 0 || own === uid) return []
  return [
    wrongFinding(
      `${data} belongs to user ${uid}, and this command runs as user ${own}`,
      'Run it as the user of the hub; if that is this one, give the directory to it with chown.',
    ),
  ]
}

interface DataFile {
  readonly path: string
  readonly isKey: boolean
  /** Other users cannot get at it, whatever its own mode is. */
  readonly isShut: boolean
}

function filesOf(installation: HubInstallation): readonly DataFile[] {
  const { settings, file, databaseKind, otherKeyFiles } = installation
  const { data } = settings
  const inside = readdirSync(data).map((name) => ({
    path: join(data, name),
    isKey: name.startsWith('master.key') || otherKeyFiles.includes(name),
    isShut: true,
  }))
  const isOutside = databaseKind === 'sqlite' && resolve(dirname(file)) !== resolve(data)
  if (!isOutside) return inside
  const outside = [file, `${file}-wal`, `${file}-shm`].filter((path) => existsSync(path))
  return [...inside, ...outside.map((path) => ({ path, isKey: false, isShut: false }))]
}

function findingsOf({ path, isKey, isShut }: DataFile, directory: Stats): readonly Finding[] {
  const status = statSync(path, { throwIfNoEntry: false })
  // A file of SQLite's may go while we look.
  if (status === undefined) return []
  if (status.uid !== directory.uid) {
    return [
      wrongFinding(
        `${path} belongs to user ${status.uid}, and the data directory to user ${directory.uid}`,
        `The hub cannot use it: run chown ${directory.uid}:${directory.gid} ${typedWord(path)}`,
      ),
    ]
  }
  if ((status.mode & 0o077) === 0) return []
  const mode = status.isDirectory() ? 700 : 600
  const found = `${path} could be read by other users (mode ${modeText(status.mode)})`
  const todo = `Run chmod ${mode} ${typedWord(path)}`
  if (isKey) return [wrongFinding(found, `The hub does not start with such a key. ${todo}`)]
  return isShut
    ? [warningFinding(`${found}, if ${basename(dirname(path))} were not shut`, todo)]
    : [wrongFinding(found, todo)]
}

function modeText(mode: number): string {
  return (mode & 0o777).toString(8)
}

export const database: Check<HubInstallation> = {
  name: 'database',
  async run({ settings: { data, demo }, file, databaseKind }) {
    if (databaseKind !== 'sqlite') return []
    refuseLostStore(data, file)
    if (!existsSync(file))
      return [skippedFinding(`there is no ${file} yet: the first start makes it`)]
    const store = inspectStore(file)
    try {
      const findings = findingsOfFile(file, store)
      if (demo || findings.some(({ result }) => result !== 'good')) return findings
      await refuseDemoData({ read: (work) => work(store.tables) }, data)
      return findings
    } finally {
      store.close()
    }
  },
}
