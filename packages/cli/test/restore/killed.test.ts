/** A backup that was cut off is never restored, and a restore that was cut off is never served. */

import { existsSync, readdirSync, renameSync, rmSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { makeKeyFile } from '@latchkey/service/machine/files'
import { rounds } from '@latchkey/testing/chance'
import { beforeEach, describe, expect, it } from 'vitest'
import { latchkeyHere } from '../run-here.ts'
import { latchkey } from '../run-latchkey.ts'
import { dataOf, filledDirectory } from '../storage/content.ts'

const few = rounds(3, Number.POSITIVE_INFINITY)
const preload = new URL('./die-at.js', import.meta.url)

let cwd = ''
beforeEach(async () => {
  cwd = await filledDirectory()
})

const run = (...args: string[]) => latchkeyHere(args, { cwd })

function dying(at: number, ...args: string[]) {
  return latchkey(args, { cwd, env: { NODE_OPTIONS: `--import=${preload}`, DIE_AT: `${at}` } })
}

/** Points from the first call to the last, evenly spread. */
async function pointsOf(...args: string[]): Promise<readonly number[]> {
  const { code, stderr } = await dying(0, ...args)
  expect(code).toBe(0)
  const calls = Number(/^calls: (\d+)$/m.exec(stderr)?.[1])
  const count = Math.min(calls, few)
  return Array.from({ length: count }, (_, index) =>
    Math.round(1 + (index * (calls - 1)) / (count - 1)),
  )
}

// conformance: Embedded storage / A kill of the storage or of its hub loses no acknowledged write
it('a backup that was killed is refused by restore, or is whole', async () => {
  const outcomes = new Set<number | null>()
  for (const at of await pointsOf('backup', 'whole')) {
    await dying(at, 'backup', 'cut')
    const isWhole = existsSync(join(cwd, 'cut', 'backup.json'))
    const { code, stderr } = await run('restore', 'cut', '--data', 'new')
    expect(code, `killed before call ${at}: ${stderr}`).toBe(isWhole ? 0 : 1)
    if (isWhole) expect(stderr).toContain('\n2 objects copied. ')
    else
      expect(stderr).toMatch(
        /^latchkey: (?:There is no folder|"[^\n]+cut" is not a complete) [^\n]+\n$/,
      )
    expect(existsSync(join(cwd, 'new'))).toBe(isWhole)
    for (const folder of ['cut', 'new']) rmSync(join(cwd, folder), { recursive: true, force: true })
    outcomes.add(code)
  }
  expect(outcomes).toContain(1)
})

/** What is restored, how it would be served, and the file that is there when the restore is over. */
interface Kind {
  readonly what: string
  prepare(): void
  readonly serve: readonly string[]
  readonly last: string
}

const kinds: readonly Kind[] = [
  {
    what: 'a hub with its storage',
    prepare() {},
    serve: ['serve', '--port', '0'],
    last: 'latchkey.db',
  },
  {
    what: 'a hub without storage',
    prepare: () => rmSync(join(dataOf(cwd), 'storage.db')),
    serve: ['serve', '--port', '0', '--no-storage'],
    last: 'latchkey.db',
  },
  {
    what: 'a storage without its hub',
    prepare: makeAlone,
    serve: [
      ...['storage', 'serve', '--port', '0', '--hub', 'http://127.0.0.1:9'],
      ...['--cas-url', 'http://127.0.0.1:8081/r/{repo}/{ref}'],
    ],
    last: 'storage.db',
  },
]

function makeAlone(): void {
  const data = dataOf(cwd)
  for (const file of readdirSync(data)) {
    if (/^(?:latchkey\.db|commands\.log)/.test(file)) rmSync(join(data, file))
  }
  makeKeyFile(join(data, 'blob-url-key'))
}

/** The first has both databases; the others are a part of it. */
const tried = kinds.slice(0, rounds(1, kinds.length))

describe('a restore that was killed is not served, or is whole', () => {
  it.each(tried)('of $what', async ({ prepare, serve, last }) => {
    prepare()
    expect(await run('backup', 'copy')).toMatchObject({ code: 0 })
    const restore = ['restore', 'copy', '--data', 'new']
    const points = await pointsOf('restore', 'copy', '--data', 'whole')
    let refusals = 0
    for (const at of points) {
      await dying(at, ...restore)
      if (existsSync(join(cwd, 'new', last))) {
        // Its directory is synced after the last rename, and nothing else is left to do.
        expect(filesIn('new')).toEqual(filesIn('whole'))
      } else if (existsSync(join(cwd, 'new')) && readdirSync(join(cwd, 'new')).length > 0) {
        refusals += 1
        const env = { LATCHKEY_STORAGE_CREDENTIAL: `lk_${'c'.repeat(49)}` }
        const { code, stderr } = await latchkeyHere([...serve, '--data', 'new'], { cwd, env })
        expect(code, `killed before call ${at}: ${stderr}`).toBe(3)
        expect(stderr).toMatch(/^latchkey: [^\n]+ a restore[^\n]* was cut off, [^\n]+\n$/m)
        expect(await run(...restore)).toMatchObject({ code: 1 })
      }
      rmSync(join(cwd, 'new'), { recursive: true, force: true })
    }
    expect(refusals).toBeGreaterThan(0)
    expect(await run(...restore)).toMatchObject({ code: 0 })
  })
})

function filesIn(folder: string): readonly string[] {
  return readdirSync(join(cwd, folder), { recursive: true })
    .map(String)
    .filter((name) => !/-(?:wal|shm)$/.test(name))
    .sort()
}

it('an object of which half was copied is copied again by the next restore', async () => {
  const data = dataOf(cwd)
  expect(await run('backup', 'copy')).toMatchObject({ code: 0 })
  const objects = filesIn('copy/objects')
  rmSync(join(data, 'objects'), { recursive: true })
  for (const ending of ['', '-wal', '-shm'])
    rmSync(join(data, `storage.db${ending}`), { force: true })
  const restore = ['restore', 'copy', '--only', 'storage']
  const copying = new URL('./die-copying.js', import.meta.url)
  const cut = await latchkey(restore, { cwd, env: { NODE_OPTIONS: `--import=${copying}` } })
  expect(cut).toMatchObject({ code: null, stderr: '' })
  rmSync(join(data, 'storage.db.restoring'))
  expect(await run(...restore)).toMatchObject({ code: 0 })
  const restored = filesIn('latchkey-data/objects').filter((name) => !name.startsWith('store'))
  expect(restored).toEqual(objects)
  for (const name of objects) {
    const sizes = ['copy', 'latchkey-data'].map(
      (at) => statSync(join(cwd, at, 'objects', name)).size,
    )
    expect(sizes[1]).toBe(sizes[0])
  }
})

it('a storage whose restore beside its hub was cut off is not served, and no other is made', async () => {
  const data = dataOf(cwd)
  renameSync(join(data, 'storage.db'), join(data, 'storage.db.restoring'))
  const { code, stderr } = await run('serve', '--port', '0')
  expect(code).toBe(3)
  expect(stderr).toMatch(/^latchkey: [^\n]+ a restore of the content was cut off, [^\n]+\n$/m)
  expect(existsSync(join(data, 'storage.db'))).toBe(false)
})
