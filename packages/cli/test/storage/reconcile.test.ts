import { copyFileSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { openStore, raiseEpochs } from '@latchkey/hub/management'
import { testSettings } from '@latchkey/testing/hub/hub-settings'
import { writeDirectory } from '@latchkey/testing/hub/write-directory'
import { beforeEach, describe, expect, it } from 'vitest'
import { directoryText } from '../directory-file.ts'
import { latchkeyHere as latchkey } from '../run-here.ts'
import { temporaryDirectory } from '../run-latchkey.ts'
import { addContent, addRepository, bert, dataOf, filledDirectory, withStored } from './content.ts'

const late = 'models/acme/late'

let cwd = ''
let lateUid = ''

/** The hub is restored from a backup that was taken before a repository with content came. */
async function restoredAlone(): Promise<void> {
  await withOldCopy()
  await addPresentEntries()
}

/** As `restore` does. */
async function addPresentEntries(): Promise<void> {
  const store = await openStore(
    { data: dataOf(cwd), database: 'sqlite:latchkey.db' },
    { create: false },
  )
  await raiseEpochs(store.directory, { verb: 'restore' }, 'all').finally(() => store.close())
}

/** The hub's database is a copy that was taken before a repository with content came. */
async function withOldCopy(): Promise<void> {
  cwd = await filledDirectory()
  const backup = join(cwd, 'backup.db')
  copyFileSync(databaseOf(cwd), backup)
  await addRepository(cwd, late)
  await addContent(cwd, late, { xorbs: ['late'], file: 'late file' })
  lateUid = await withStored(cwd, async ({ store }) =>
    store.readBeside(async (tables) => {
      const row = tables.selectFrom('repositories').select('uid').where('path', '=', late)
      return (await row.executeTakeFirstOrThrow()).uid
    }),
  )
  replaceDatabase(cwd, backup)
}

function databaseOf(directory: string): string {
  return join(dataOf(directory), 'latchkey.db')
}

function replaceDatabase(directory: string, other: string): void {
  for (const ending of ['-wal', '-shm']) rmSync(databaseOf(directory) + ending, { force: true })
  copyFileSync(other, databaseOf(directory))
}

const orphan = () => ({ kind: 'repository', uid: lateUid, repository: lateUid, bytes: 144 })

describe('after the hub was restored alone', () => {
  beforeEach(restoredAlone)

  it('gc and forget refuse to remove anything, and say what to do', async () => {
    for (const args of [
      ['gc', '--delete'],
      ['delete', lateUid, 'f'.repeat(64), '--yes'],
    ]) {
      const { code, stdout, stderr } = await latchkey(['storage', ...args], { cwd })
      expect([code, stdout]).toEqual([1, ''])
      expect(stderr).toMatch(/^latchkey: The hub does not have the journal [^\n]+ reconcile"\.\n$/)
    }
    expect(await usage()).toMatchObject({ disk: { objects: 3 } })
  })

  it('usage and verify show what the hub does not have by its uid, with a mark', async () => {
    const { stdout } = await latchkey(['storage', 'usage'], { cwd })
    expect(stdout).toContain(`${lateUid} (not at the hub)  144    2\n`)
    const { repositories } = await usage()
    const marked = { repository: lateUid, isUnknown: true }
    expect(repositories).toContainEqual(expect.objectContaining(marked))
    expect(repositories.filter(({ isUnknown }) => isUnknown)).toHaveLength(1)
    const verified = await latchkey(['storage', 'verify', lateUid], { cwd })
    expect(verified.stdout).toContain(`REPOSITORY  ${lateUid} (not at the hub)\n`)
  })

  it('reconcile shows it, removes it with --yes, and then finds nothing', async () => {
    const shown = await latchkey(['storage', 'reconcile'], { cwd })
    expect(shown.code).toBe(0)
    expect(shown.stdout).toMatch(/^KIND +UID +REPOSITORY +BYTES +OBJECTS\nrepository +/)
    expect(shown.stderr).toBe(
      'Not deleted yet: pass --yes to delete the content of 1 place with 144 bytes for good.\n',
    )
    expect((await usage()).repositories).toHaveLength(2)
    const real = await latchkey(['storage', 'reconcile', '--yes', '--json'], { cwd })
    expect(JSON.parse(real.stdout)).toEqual({
      removed: true,
      places: 4,
      orphans: [{ ...orphan(), objects: 2 }],
      returned: 0,
      isDoubtful: false,
      isLinkLost: true,
    })
    const again = await latchkey(['storage', 'reconcile', '--yes'], { cwd })
    expect(again).toMatchObject({
      code: 0,
      stdout: '',
      stderr: 'The hub knows all content here: 2 repositories, refs and commits.\n',
    })
    expect(await usage()).toMatchObject({ repositories: [{ repository: bert }] })
    const log = readFileSync(join(dataOf(cwd), 'commands.log'), 'utf8')
    expect(log).toMatch(/"verb":"storage reconcile",.*"removedPlaces":"1".*"outcome":"done"/)
    const freed = await latchkey(['storage', 'gc', '--delete', '--json'], { cwd })
    expect(JSON.parse(freed.stdout)).toMatchObject({ objects: { count: 2 } })
  })
})

it('a restored hub that has everything: reconcile says that --yes is needed, and then gc removes again', async () => {
  cwd = await filledDirectory()
  const backup = join(cwd, 'backup.db')
  copyFileSync(databaseOf(cwd), backup)
  await addRepository(cwd, late)
  const gc = ['storage', 'gc', '--delete']
  expect(await latchkey(gc, { cwd })).toMatchObject({ code: 0 })
  replaceDatabase(cwd, backup)
  await addPresentEntries()

  const hasAll = 'The hub knows all content here: 2 repositories, refs and commits.\n'
  const shown = await latchkey(['storage', 'reconcile'], { cwd })
  expect(shown).toMatchObject({ code: 0, stderr: expect.stringContaining(`${hasAll}The storage `) })
  expect(shown.stderr).toMatch(/ Pass --yes [^\n]+ no content is deleted\.\n$/)
  expect(await latchkey(gc, { cwd })).toMatchObject({ code: 1 })
  const done = await latchkey(['storage', 'reconcile', '--yes'], { cwd })
  const follows = 'The storage follows the hub again.\n'
  expect(done).toMatchObject({ code: 0, stderr: hasAll + follows })
  expect(await latchkey(gc, { cwd })).toMatchObject({ code: 0 })
  const after = await latchkey(['storage', 'reconcile'], { cwd })
  expect(after).toMatchObject({ code: 0, stderr: hasAll })
})

it('beside an old copy of the database nothing is removed, also with --yes and --all', async () => {
  await withOldCopy()
  for (const flags of [[], ['--yes'], ['--yes', '--all']]) {
    const { code, stdout, stderr } = await latchkey(['storage', 'reconcile', ...flags], { cwd })
    expect([code, stdout]).toEqual([1, ''])
    expect(stderr).toMatch(/^latchkey: The hub's journal ends at [^\n]+ an old copy [^\n]+\n$/)
  }
  expect((await usage()).repositories).toHaveLength(2)
})

// conformance: Embedded storage / storage reconcile removes exactly the content that the hub does not have
it('a hub that has nothing of what is here is taken for another hub, unless --all is said', async () => {
  await restoredAlone()
  const another = temporaryDirectory()
  await writeDirectory(testSettings(dataOf(another)), JSON.parse(directoryText))
  replaceDatabase(cwd, databaseOf(another))
  const shown = await latchkey(['storage', 'reconcile'], { cwd })
  expect(shown.stderr).toContain('so it may be another hub: check --data and --hub')
  const refused = await latchkey(['storage', 'reconcile', '--yes'], { cwd })
  expect([refused.code, refused.stdout]).toEqual([1, ''])
  expect(refused.stderr).toMatch(/^latchkey: The hub does not have most of the 4 places [^\n]+\n$/)
  expect(await usage()).toMatchObject({ repositories: [{}, {}] })
  const removed = await latchkey(['storage', 'reconcile', '--yes', '--all'], { cwd })
  expect(removed).toMatchObject({
    code: 0,
    stderr: 'Deleted: 2 places with 388 bytes. "latchkey storage gc --delete" frees the disk.\n',
  })
  expect(await usage()).toMatchObject({ repositories: [] })
})

describe('without the database of the hub', () => {
  beforeEach(async () => {
    await restoredAlone()
    rmSync(databaseOf(cwd))
  })

  it('content is shown by uid, and what could go', async () => {
    const held = { repository: lateUid, bytes: 144, objects: 2 }
    const { repositories } = await usage()
    expect(repositories).toContainEqual(held)
    const verified = await latchkey(['storage', 'verify', lateUid, '--json'], { cwd })
    expect(JSON.parse(verified.stdout)).toMatchObject({ objects: 1 })
    const gc = await latchkey(['storage', 'gc', '--json'], { cwd })
    expect(JSON.parse(gc.stdout)).toMatchObject({ deleted: false, xorbs: { count: 1 } })
    expect(gc.stderr).toMatch(
      /^latchkey: Content that was deleted [^\n]+ hub could not be reached: the hub's /,
    )
  })

  it('nothing is removed, and the line says what to do', async () => {
    for (const args of [
      ['gc', '--delete'],
      ['delete', lateUid, 'f'.repeat(64), '--yes'],
      ['reset-urls', lateUid],
      ['reconcile'],
      ['reconcile', '--yes', '--all'],
    ]) {
      const { code, stdout, stderr } = await latchkey(['storage', ...args], { cwd })
      expect([args[0], code, stdout]).toEqual([args[0], 3, ''])
      expect(stderr).toMatch(
        /^latchkey: the hub's database is not in [^\n]+ --hub URL [^\n]+ run it again later\.\n$/,
      )
    }
    const all = await latchkey(['storage', 'reset-urls'], { cwd })
    expect(all).toMatchObject({ code: 2 })
    expect(await usage()).toMatchObject({ disk: { objects: 3 } })
  })

  it('a name is refused', async () => {
    const { code, stderr } = await latchkey(['storage', 'usage', bert], { cwd })
    expect(code).toBe(2)
    expect(stderr).toMatch(/^latchkey: The name models\/acme\/bert means nothing here: [^\n]+\n$/)
  })

  it('a database that was named must be there', async () => {
    const args = ['storage', 'usage', '--database', 'sqlite:latchkey.db']
    const { code, stderr } = await latchkey(args, { cwd })
    expect([code, stderr]).toEqual([3, expect.stringMatching(/^latchkey: there is no database /)])
  })
})

it('an epoch that a killed command did not raise is raised by the next one, also by one that only looks', async () => {
  const directory = await filledDirectory()
  await withStored(directory, async ({ maintenance: { change, read } }) => {
    const uids = await read((tables) =>
      tables.selectFrom('stored_totals').select('repository_uid').execute(),
    )
    await change((tables) => tables.insertInto('epoch_outbox').values(uids).execute())
  })
  expect(await epochOf(directory)).toBe(0)
  expect(await latchkey(['storage', 'gc'], { cwd: directory })).toMatchObject({ code: 0 })
  expect(await epochOf(directory)).toBeGreaterThan(0)
})

it('a data directory on which no storage has run is said to be one, and gets no database', async () => {
  const directory = temporaryDirectory()
  await writeDirectory(testSettings(dataOf(directory)), JSON.parse(directoryText))
  const { code, stderr } = await latchkey(['storage', 'usage'], { cwd: directory })
  expect(code).toBe(3)
  expect(stderr).toMatch(/^latchkey: no storage database in [^\n]+\n$/)
  // New addresses are given by the hub alone.
  const readdressed = await latchkey(['storage', 'reset-urls', '--json'], { cwd: directory })
  expect(JSON.parse(readdressed.stdout)).toEqual({ repositories: 1 })
  expect(() => readFileSync(join(dataOf(directory), 'storage.db'))).toThrow('ENOENT')
})

async function epochOf(directory: string): Promise<number> {
  const place = { data: dataOf(directory), database: 'sqlite:latchkey.db' }
  const store = await openStore(place, { create: false })
  const row = store.readBeside((tables) =>
    tables.selectFrom('repositories').select('epoch').executeTakeFirstOrThrow(),
  )
  return (await row.finally(() => store.close())).epoch
}

interface Usage {
  readonly repositories: readonly { readonly repository: string; readonly isUnknown?: true }[]
}

async function usage(): Promise<Usage> {
  return JSON.parse((await latchkey(['storage', 'usage', '--json'], { cwd })).stdout)
}
