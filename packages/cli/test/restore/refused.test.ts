/** What cannot be restored is said in one line, and nothing is changed. */

import {
  copyFileSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { beforeEach, expect, it } from 'vitest'
import { latchkeyHere as latchkey } from '../run-here.ts'
import { dataOf, filledDirectory } from '../storage/content.ts'

const pageBytes = 4096

let cwd = ''
beforeEach(async () => {
  cwd = await filledDirectory()
  expect(await latchkey(['backup', 'copy'], { cwd })).toMatchObject({ code: 0 })
})

async function refused(...args: string[]): Promise<readonly [number | null, string]> {
  const before = readdirSync(cwd, { recursive: true }).sort()
  const { code, stdout, stderr } = await latchkey(['restore', ...args], { cwd })
  expect([stdout, stderr.split('\n').length]).toEqual(['', 2])
  expect(readdirSync(cwd, { recursive: true }).sort()).toEqual(before)
  return [code, stderr]
}

function moveAway(name: string): void {
  mkdirSync(join(cwd, 'lost'))
  for (const file of readdirSync(dataOf(cwd)).filter((one) => one.startsWith(name))) {
    renameSync(join(dataOf(cwd), file), join(cwd, 'lost', file))
  }
}

function inCopy(work: (catalogue: string) => void): void {
  work(join(cwd, 'copy', 'storage.db'))
}

it.each([
  ['hub', 'latchkey.db'],
  ['storage', 'storage.db'],
])(
  '--only %s overwrites no database, and adds no old pages to the restored one',
  async (part, name) => {
    const inTheWay = [1, expect.stringMatching(/together with its -wal and -shm/)]
    expect(await refused('copy', '--only', part)).toEqual(inTheWay)
    const file = join(dataOf(cwd), name)
    for (const ending of ['-wal', '-shm', '.restoring']) {
      rmSync(file, { force: true })
      writeFileSync(file + ending, '')
      expect(await refused('copy', '--only', part)).toEqual(inTheWay)
      rmSync(file + ending)
    }
  },
)

it('--only names a part that the backup has', async () => {
  expect(await refused('copy', '--only', 'objects')).toEqual([
    2,
    expect.stringContaining('--only: "objects" is not allowed; give hub or storage'),
  ])
  expect(await refused('copy', '--only', 'storage', '--journal', 'latchkey-data')).toEqual([
    2,
    expect.stringContaining('--journal: this restores no hub'),
  ])
  rmSync(join(dataOf(cwd), 'storage.db'))
  expect(await latchkey(['backup', 'hub'], { cwd })).toMatchObject({ code: 0 })
  expect(await refused('hub', '--only', 'storage')).toEqual([
    1,
    expect.stringMatching(
      /^latchkey: --only: the backup "[^\n]+hub" has no content; name another\n/,
    ),
  ])
})

it('a backup whose catalogue is of a newer version is not restored by this one', async () => {
  inCopy((file) => {
    const catalogue = new DatabaseSync(file)
    catalogue.exec('PRAGMA user_version = 99')
    catalogue.close()
  })
  const newer = [
    3,
    expect.stringMatching(
      /has version 99, this program knows up to \d+: it was written by a newer version of Latchkey/,
    ),
  ]
  expect(await refused('copy', '--data', 'new')).toEqual(newer)
  moveAway('storage.db')
  expect(await refused('copy', '--only', 'storage')).toEqual(newer)
})

it.each([
  ['almost everywhere', (bytes: Buffer) => bytes.subarray(2 * pageBytes)],
  ['in one table', tableIn],
])(
  'a catalogue that is damaged %s is not restored, and the hub beside it stays',
  async (_, part) => {
    inCopy((file) => {
      copyFileSync(file, `${file}.whole`)
      const bytes = readFileSync(file)
      part(bytes, file).fill(0xff)
      writeFileSync(file, bytes)
    })
    moveAway('storage.db')
    const damaged = [3, expect.stringMatching(/ is damaged [^\n]+ backup/)]
    expect(await refused('copy', '--only', 'storage')).toEqual(damaged)
    inCopy((file) => renameSync(`${file}.whole`, file))
    const restored = await latchkey(['restore', 'copy', '--only', 'storage', '--json'], { cwd })
    expect(JSON.parse(restored.stdout)).toMatchObject({ objects: { count: 2, missing: 0 } })
    const usage = await latchkey(['storage', 'usage', '--json'], { cwd })
    expect(JSON.parse(usage.stdout)).toMatchObject({ repositories: [{ objects: 3 }] })
  },
)

/** The first object below a folder. */
function objectIn(folder: string): string {
  const names = readdirSync(folder, { recursive: true, encoding: 'utf8' })
  return join(folder, names.find((name) => /[0-9a-f]{32}$/.test(name)) ?? '')
}

function replaceByLink(file: string): void {
  rmSync(file)
  symlinkSync(join(cwd, 'secret'), file)
}

it.each([
  ['an object', () => objectIn(join(cwd, 'copy', 'objects'))],
  ['the database', () => join(cwd, 'copy', 'latchkey.db')],
  ['the catalogue', () => join(cwd, 'copy', 'storage.db')],
])('a link in place of %s is not followed', async (_, find) => {
  // With content that could be restored.
  copyFileSync(find(), join(cwd, 'secret'))
  replaceByLink(find())
  expect(await refused('copy', '--data', 'new')).toEqual([
    3,
    expect.stringMatching(/ is a link or no plain file, and is not followed/),
  ])
})

it('a link among the objects of a storage does not come into a backup', async () => {
  writeFileSync(join(cwd, 'secret'), 'of another user')
  replaceByLink(objectIn(join(dataOf(cwd), 'objects')))
  const { code, stderr } = await latchkey(['backup', 'second'], { cwd })
  expect([code, stderr]).toEqual([3, expect.stringContaining('is not followed')])
  expect(readdirSync(cwd)).not.toContain('second')
})

it('a backup.json that is a link, or longer than ours can be, is none', async () => {
  const file = join(cwd, 'copy', 'backup.json')
  const text = readFileSync(file, 'utf8')
  const none = [1, expect.stringContaining('is not a complete backup')]
  writeFileSync(file, text + ' '.repeat(100_000))
  expect(await refused('copy', '--data', 'new')).toEqual(none)
  writeFileSync(join(cwd, 'secret'), text)
  replaceByLink(file)
  expect(await refused('copy', '--data', 'new')).toEqual(none)
})

function tableIn(bytes: Buffer, file: string): Buffer {
  const catalogue = new DatabaseSync(file, { readOnly: true })
  const root = catalogue
    .prepare("SELECT rootpage FROM sqlite_schema WHERE name = 'stored_xorbs'")
    .get()?.['rootpage']
  catalogue.close()
  const from = (Number(root) - 1) * pageBytes
  return bytes.subarray(from, from + pageBytes)
}
