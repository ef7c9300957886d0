import { existsSync, renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeEach, describe, expect, it, onTestFinished } from 'vitest'
import { latchkeyHere as latchkey } from '../run-here.ts'
import type { Ended } from '../run-latchkey.ts'
import { hubHere } from '../serve-here.ts'
import {
  addContent,
  addRepository,
  bert,
  dataOf,
  filledDirectory,
  hash,
  moveApart,
  withStored,
} from './content.ts'

const late = 'models/acme/late'
const wrongCredential = `lk_${'c'.repeat(49)}`

let cwd = ''
let hub = ''
let uid = ''
let env: Record<string, string> = {}

/** A hub that serves without a storage, and the data directory of its storage, which is not there. */
beforeEach(async () => {
  cwd = await filledDirectory()
  uid = await withStored(cwd, async ({ maintenance }) => {
    const [row] = await maintenance.read((tables) =>
      tables.selectFrom('stored_totals').select('repository_uid').execute(),
    )
    return row?.repository_uid ?? ''
  })
})

async function serveHub(): Promise<void> {
  const words = ['hub-token', 'create', 'ada', 'storage', '--kind', 'storage', '--json']
  const { token } = JSON.parse((await latchkey(words, { cwd })).stdout)
  env = { LATCHKEY_STORAGE_CREDENTIAL: token }
  moveApart(cwd)
  const serving = await hubHere(dataOf(cwd))
  onTestFinished(serving.stop)
  hub = serving.url
}

function storage(...args: readonly string[]): Promise<Ended> {
  return latchkey(['storage', ...args, '--hub', hub], { cwd, env })
}

async function verbsOf(): Promise<readonly string[]> {
  const { stdout } = await latchkey(['changes', '--json'], { cwd })
  const entries = stdout.trim().split('\n')
  return entries.map((line) => JSON.parse(line).verb)
}

describe('a mistake is one line', () => {
  it('a hub on another machine without https', async () => {
    moveApart(cwd)
    const args = ['storage', 'usage', '--data', `${cwd}/latchkey-storage-data`]
    const plain = ['--hub', 'http://hub.example']
    const mistake = (words: string) => ({ code: 2, stderr: expect.stringContaining(words) })
    expect(await latchkey([...args, ...plain], { cwd })).toMatchObject(mistake('is plain http'))
    expect(await latchkey([...args, ...plain, '--allow-plain-http'], { cwd })).toMatchObject(
      mistake("--hub needs the storage's credential in LATCHKEY_STORAGE_CREDENTIAL"),
    )
  })

  it('a hub, where only the data of a hub is', async () => {
    const args = ['storage', 'gc', '--hub', 'http://127.0.0.1:9']
    const { code, stderr } = await latchkey(args, { cwd })
    // Naming a hub means a storage that runs alone, and its directory.
    const says = 'latchkey: there is no database in ./latchkey-storage-data, neither '
    expect([code, stderr]).toEqual([3, expect.stringContaining(says)])
  })

  it('a hub beside whose database the content lies', async () => {
    const args = ['storage', 'gc', '--data', `${cwd}/latchkey-data`, '--hub', 'http://127.0.0.1:9']
    const { code, stderr } = await latchkey(args, { cwd })
    expect([code, stderr]).toEqual([2, expect.stringContaining('leave --hub out')])
  })
})

it('gc and forget tell a hub on another machine what is gone, and go by uid', async () => {
  await serveHub()
  expect(JSON.parse((await storage('usage', '--json')).stdout)).toMatchObject({
    repositories: [{ repository: uid, bytes: 244, objects: 3 }],
  })
  expect(await storage('usage', bert)).toMatchObject({ code: 2 })
  const gone = await storage('gc', '--delete', '--json')
  expect(JSON.parse(gone.stdout)).toMatchObject({ xorbs: { count: 1 }, objects: { count: 1 } })
  const forgotten = await storage('delete', uid, hash('file'), '--yes', '--json')
  expect(JSON.parse(forgotten.stdout)).toMatchObject({ repository: uid, objects: 1 })
  expect(await storage('reset-urls', uid)).toMatchObject({ code: 0 })
  expect(await storage('reset-urls')).toMatchObject({ code: 2, stdout: '' })
  const raised = (await verbsOf()).filter((verb) => verb === 'link raise-epoch')
  expect(raised).toHaveLength(3)
})

it('the variables of storage serve name the hub, too; without the credential nothing is removed', async () => {
  await serveHub()
  const data = ['--data', 'latchkey-storage-data']
  const named = { ...env, LATCHKEY_HUB: hub }
  const collect = ['storage', 'gc', '--delete', ...data]
  const refused = await latchkey(collect, { cwd, env: { LATCHKEY_HUB: hub } })
  expect([refused.code, refused.stdout]).toEqual([3, ''])
  const wrong = { ...named, LATCHKEY_STORAGE_CREDENTIAL: wrongCredential }
  const { code, stdout, stderr } = await latchkey(collect, { cwd, env: wrong })
  expect([code, stdout]).toEqual([3, ''])
  expect(stderr).toMatch(/^latchkey: the hub refused the credential of the storage [^\n]+\n$/)
  expect(stderr).not.toContain(wrongCredential)
  expect(await latchkey(collect, { cwd, env: named })).toMatchObject({ code: 0 })
})

it('the data directory of a storage alone is found without its name where no other is, and a restore makes it again', async () => {
  const own = moveApart(cwd)
  writeFileSync(join(own, 'blob-url-key'), '')
  renameSync(dataOf(cwd), join(cwd, 'elsewhere'))
  const usage = await latchkey(['storage', 'usage', '--json'], { cwd })
  expect(JSON.parse(usage.stdout)).toMatchObject({ repositories: [{ repository: uid }] })
  const backup = await latchkey(['backup', 'copy', '--json'], { cwd })
  expect(JSON.parse(backup.stdout)).toMatchObject({ journal: null, objects: { count: 2 } })
  const occupied = await latchkey(['restore', 'copy'], { cwd })
  expect(occupied).toMatchObject({ code: 1 })
  expect(occupied.stderr).toContain('"./latchkey-storage-data" exists already')
  renameSync(own, join(cwd, 'lost'))
  const restored = await latchkey(['restore', 'copy', '--json'], { cwd })
  expect(JSON.parse(restored.stdout)).toMatchObject({ data: './latchkey-storage-data' })
  expect(existsSync(dataOf(cwd))).toBe(false)
})

it('reconcile asks a hub on another machine', async () => {
  await addRepository(cwd, late)
  await addContent(cwd, late, { xorbs: ['late'] })
  await serveHub()
  expect(await storage('reconcile')).toMatchObject({
    code: 0,
    stderr: 'The hub knows all content here: 4 repositories, refs and commits.\n',
  })
  await latchkey(['repo', 'delete', late], { cwd })
  const { stdout } = await storage('reconcile', '--yes', '--json')
  expect(JSON.parse(stdout)).toMatchObject({ orphans: [{ kind: 'repository', objects: 1 }] })
  expect(JSON.parse((await storage('usage', '--json')).stdout)).toMatchObject({
    repositories: [{ repository: uid }],
  })
})
