/** A repository moves from one storage to another while clients use it. */

import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { freePort } from '@latchkey/testing/machine/free-port'
import { ownDatabase } from '@latchkey/testing/postgres/own-database'
import {
  type FaultProxy,
  type StoreRequest,
  startFaultProxy,
} from '@latchkey/testing/s3/fault-proxy'
import { type LocalS3Store, sharedVersitygw } from '@latchkey/testing/s3/stores'
import { isPostgresMissing } from '@latchkey/testing/tools/postgres-programs'
import { isVersitygwMissing } from '@latchkey/testing/tools/s3-stores'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { commit } from './directory-file.ts'
import { latchkeyHere as latchkey } from './run-here.ts'
import { end, ended, start } from './run-latchkey.ts'
import { bothHere, type Here, storageHere } from './serve-here.ts'

const stops: (() => Promise<unknown>)[] = []
let cwd = ''
let us = ''
let usPort = 0
let far = ''
let farPort = 0
let hub = ''
let env: Record<string, string> = {}

async function run(words: string, input = ''): Promise<string> {
  const { code, stdout, stderr } = await latchkey(words.split(' '), { cwd, env, input })
  if (code !== 0) throw new Error(`latchkey ${words}: ${stderr}`)
  return stdout
}

async function failing(words: string): Promise<string> {
  const { code, stderr } = await latchkey(words.split(' '), { cwd, env })
  expect(code).toBe(1)
  return stderr
}

function keep<Server extends Here>(server: Server): Server {
  stops.unshift(() => server.stop())
  return server
}

beforeAll(async () => {
  cwd = mkdtempSync(join(tmpdir(), 'latchkey-move-'))
  stops.push(async () => rmSync(cwd, { recursive: true, force: true }))
  const port = await freePort()
  const eu = `http://127.0.0.1:${port}/r/{repo}/{ref}`
  usPort = await freePort()
  us = `http://127.0.0.1:${usPort}/r/{repo}/{ref}`
  farPort = await freePort()
  far = `http://127.0.0.1:${farPort}/r/{repo}/{ref}`
  const file = {
    accounts: [{ name: 'ada', administrator: true }],
    namespaces: [{ name: 'acme', members: { ada: 'admin' } }],
    hubTokens: [{ account: 'ada', name: 'laptop', kind: 'write' }],
  }
  const made = JSON.parse(await run('apply - --json', JSON.stringify(file)))
  hub = keep(
    await bothHere(join(cwd, 'latchkey-data'), {}, { storages: `eu=${eu},us=${us},far=${far}` }),
  ).url
  env = { LATCHKEY_HUB: hub, LATCHKEY_HUB_TOKEN: made.hubTokens[0].token }
  const words = 'hub-token create ada eu --kind storage --storage eu --json'
  const credential = JSON.parse(await run(words)).token
  const flags = { hub, casUrl: eu, port: String(port), data: join(cwd, 'eu') }
  keep(await storageHere(flags, { LATCHKEY_STORAGE_CREDENTIAL: credential }))
  writeFileSync(join(cwd, 'home.json'), JSON.stringify({ data: 'latchkey-data' }))
  writeFileSync(join(cwd, 'eu.json'), JSON.stringify({ data: 'eu' }))
  return async () => {
    for (const stop of stops) await stop()
  }
})

async function filled(
  name: string,
): Promise<{ repository: string; hash: string; content: string }> {
  const repository = `models/acme/${name}`
  const content = `content of ${name} `.repeat(20_000)
  await run(`repo create ${repository}`)
  await run(`ref set ${repository} main ${commit}`)
  writeFileSync(join(cwd, `${name}.bin`), content)
  const hash = (await run(`upload ${repository}@main ${name}.bin`)).trim()
  return { repository, hash, content }
}

async function expectReadable({ repository, hash, content }: Awaited<ReturnType<typeof filled>>) {
  await run(`download ${repository}@main ${hash} -o back.bin`)
  expect(readFileSync(join(cwd, 'back.bin'), 'utf8')).toBe(content)
}

async function shown(repository: string): Promise<Record<string, unknown>> {
  return JSON.parse(await run(`repo show ${repository} --json`))
}

function rowsIn(data: string, uid: unknown) {
  const database = new DatabaseSync(join(cwd, data, 'storage.db'), { readOnly: true })
  const rows = (table: string, columns: string) =>
    database
      .prepare(`SELECT ${columns} FROM ${table} WHERE repository_uid = ? ORDER BY 1, 2`)
      .all(String(uid))
  const found = {
    xorbs: rows('stored_xorbs', 'ref_uid, hash, digest, packed_bytes, written_at, stamp'),
    files: rows('stored_files', 'ref_uid, hash, bytes, first_chunk, written_at, stamp, terms'),
    chunks: rows('stored_chunks', 'ref_uid, hash, xorb_hash, written_at, stamp'),
  }
  database.close()
  return found
}

const there = '--to eu --source home.json --destination eu.json'

test('a move takes every row with its stamp, and every byte; the next token is for the other storage', async () => {
  const world = await filled('moved')
  const { uid } = await shown(world.repository)
  const before = rowsIn('latchkey-data', uid)
  expect(before.files).toHaveLength(1)
  await run(`repo move-storage ${world.repository} ${there}`)
  expect(await shown(world.repository)).toMatchObject({ uid, storage: 'eu' })
  expect(rowsIn('eu', uid)).toEqual(before)
  await expectReadable(world)
  writeFileSync(join(cwd, 'more.bin'), 'after the move')
  await run(`upload ${world.repository}@main more.bin`)
  expect(rowsIn('eu', uid).files).toHaveLength(2)
  expect(await failing(`repo move-storage ${world.repository} ${there}`)).toContain('already')
})

test('a repository comes back to where it was', async () => {
  const world = await filled('returned')
  await run(`repo move-storage ${world.repository} ${there}`)
  const home = '--to default --source eu.json --destination home.json'
  await run(`repo move-storage ${world.repository} ${home}`)
  expect(await shown(world.repository)).toMatchObject({ storage: 'default' })
  await expectReadable(world)
})

test('while a move is closed, reads go on, and uploads get 503 until it is cancelled or ends', async () => {
  const world = await filled('closed')
  const step = (name: string) => `repo move-storage ${world.repository} --to eu ${name}`
  // The source object is gone, so that the move fails after it has closed the uploads.
  const { uid } = await shown(world.repository)
  const answer = await fetch(`${hub}/api/${world.repository}/storage-write-token/main`, {
    headers: { authorization: `Bearer ${env['LATCHKEY_HUB_TOKEN']}` },
  })
  const { accessToken, casUrl } = (await answer.json()) as { accessToken: string; casUrl: string }
  const put = () =>
    fetch(`${casUrl}/v1/files`, {
      method: 'PUT',
      headers: { authorization: `Bearer ${accessToken}` },
      body: `written at ${performance.now()}`,
    })
  const opened = await openContent('latchkey-data')
  const { closeWrites } = await import('@latchkey/storage/maintenance')
  const closed = await closeAtHub(world.repository)
  await closeWrites(
    {
      uid: uid as never,
      source: opened.maintenance,
      target: opened.maintenance,
      areObjectsShared: true,
    },
    closed as never,
  )
  const refused = await put()
  expect([refused.status, refused.headers.get('retry-after')]).toEqual([503, '30'])
  expect(await refused.json()).toMatchObject({ code: 'not_ready' })
  await expectReadable(world)
  await run(`${step('--source home.json --cancel')}`)
  expect((await put()).status).toBe(200)
  expect(await shown(world.repository)).not.toHaveProperty('movesTo')
  await opened.close()
})

test('a run that was interrupted anywhere is repeated and ends the move', async () => {
  const storage = await import('@latchkey/storage/maintenance')
  const [home, eu] = [await openContent('latchkey-data'), await openContent('eu')]
  const parts = ['closed at the hub', 'closed at the source', 'copied', 'switched'] as const
  for (const [index, part] of parts.entries()) {
    const world = await filled(`cut-${index}`)
    const { uid } = await shown(world.repository)
    const sides = { source: home.maintenance, target: eu.maintenance }
    const move = { uid: uid as never, ...sides, areObjectsShared: true }
    const number = (await closeAtHub(world.repository)) as never
    if (index > 0) await storage.closeWrites(move, number)
    if (index > 1) await storage.copyContent(move, number)
    if (index > 2) await atHub('switch', world.repository, Number(number))
    await expectReadable(world)
    await run(`repo move-storage ${world.repository} ${there}`)
    expect(await shown(world.repository), part).toMatchObject({ storage: 'eu' })
    await expectReadable(world)
    const left = await home.maintenance.read((tables) =>
      tables.selectFrom('removed_places').select('uid').where('uid', '=', String(uid)).execute(),
    )
    expect(left, part).toHaveLength(1)
    // The other run wakes up: it changes nothing any more.
    await expect(atHub('switch', world.repository, Number(number))).rejects.toThrow(/already|taken/)
    await expect(storage.copyContent(move, number)).rejects.toThrow(/taken over/)
  }
  await home.close()
  await eu.close()
})

test('a file of another storage is refused, and uploads stay open', async () => {
  const world = await filled('mistaken')
  const swapped = '--to eu --source eu.json --destination home.json'
  expect(await failing(`repo move-storage ${world.repository} ${swapped}`)).toContain('--source: ')
  const twice = '--to eu --source home.json --destination home.json'
  const line = await failing(`repo move-storage ${world.repository} ${twice}`)
  expect(line).toContain('--destination: ')
  expect(await shown(world.repository)).not.toHaveProperty('movesTo')
  await expectReadable(world)
})

const isMissing = isPostgresMissing('a move into a catalogue there is not shown')

describe.skipIf(isMissing)('a catalogue in PostgreSQL', () => {
  const own = isMissing ? undefined : ownDatabase()

  test('takes what comes from a file, and gives it back', async () => {
    const url = (await own)?.url ?? expect.unreachable()
    const words = 'hub-token create ada us --kind storage --storage us --json'
    const credential = JSON.parse(await run(words)).token
    const flags = { hub, casUrl: us, port: String(usPort), data: join(cwd, 'us') }
    const secrets = { LATCHKEY_STORAGE_CREDENTIAL: credential, LATCHKEY_STORAGE_DATABASE: url }
    const storage = await storageHere(flags, secrets)
    onTestFinished(storage.stop)
    const options = { mode: 0o600 }
    writeFileSync(
      join(cwd, 'us.json'),
      JSON.stringify({ data: 'us', storageDatabase: url }),
      options,
    )
    const world = await filled('between')
    const { uid } = await shown(world.repository)
    const before = rowsIn('latchkey-data', uid)
    const thither = '--to us --source home.json --destination us.json'
    await run(`repo move-storage ${world.repository} ${thither}`)
    await expectReadable(world)
    const back = '--to eu --source us.json --destination eu.json'
    await run(`repo move-storage ${world.repository} ${back}`)
    await expectReadable(world)
    expect(rowsIn('eu', uid)).toEqual(before)
  })
})

const hasNoStore = isVersitygwMissing('a move into a bucket is not shown')

describe.skipIf(hasNoStore)('a bucket that clients download from', () => {
  let store: LocalS3Store
  /** Between storages and commands, and the bucket. */
  let inside: FaultProxy
  /** Between clients and the bucket. */
  let door: FaultProxy
  let former: Record<string, string> = {}
  beforeAll(async () => {
    store = await sharedVersitygw()
    inside = await startFaultProxy(store.port)
    door = await startFaultProxy(store.port)
    const words = 'hub-token create ada far --kind storage --storage far --json'
    const credential = JSON.parse(await run(words)).token
    const { bucket, credentials } = store.newPlace()
    const keys = {
      AWS_ACCESS_KEY_ID: credentials.accessKeyId,
      AWS_SECRET_ACCESS_KEY: credentials.secretAccessKey,
    }
    former = env
    env = { ...env, ...keys }
    const objects = `s3://${bucket}/far`
    const flags = {
      ...{ hub, casUrl: far, port: String(farPort), data: join(cwd, 'far'), objects },
      ...{ objectsEndpoint: inside.endpoint, objectsPublicEndpoint: door.endpoint },
      objectsDirectDownloads: true,
    }
    const secrets = { LATCHKEY_STORAGE_CREDENTIAL: credential, ...keys }
    keep(await storageHere(flags, secrets))
    const options = {
      ...{ data: 'far', objects, 'objects.endpoint': inside.endpoint },
      ...{ 'objects.publicEndpoint': door.endpoint, 'objects.directDownloads': true },
    }
    writeFileSync(join(cwd, 'far.json'), JSON.stringify(options))
  })
  afterAll(async () => {
    env = former
    // The storage asks the bucket until it has stopped.
    stops.push(async () => {
      await Promise.all([inside?.close(), door?.close()])
      await store?.kill()
    })
  })

  const thither = '--to far --source home.json --destination far.json'

  /** Runs a move in a process, and kills it when it has sent such a request to the bucket. */
  async function killAt(repository: string, isReached: (request: StoreRequest) => boolean) {
    const reached = Promise.withResolvers<void>()
    inside.forget()
    inside.decide((request) => {
      if (!isReached(request)) return undefined
      reached.resolve()
      return { isSilent: true }
    })
    const words = `repo move-storage ${repository} ${thither}`.split(' ')
    const child = start(words, { cwd, env })
    onTestFinished(() => end(child))
    const over = ended(child)
    await Promise.race([reached.promise, over])
    child.kill('SIGKILL')
    expect(await over).toBeNull()
    await inside.mend()
  }

  test('takes a repository although the move is killed in two of its steps, and gives it back', async () => {
    const world = await filled('bucketed')
    const { repository } = world
    const files = [world]
    for (const name of ['second', 'third']) {
      const content = `content of ${name} `.repeat(20_000)
      writeFileSync(join(cwd, `${name}.bin`), content)
      const hash = (await run(`upload ${repository}@main ${name}.bin`)).trim()
      files.push({ repository, hash, content })
    }
    const expectAll = async () => {
      for (const file of files) await expectReadable(file)
    }
    const { uid } = await shown(repository)
    const before = rowsIn('latchkey-data', uid)
    expect(before.xorbs).toHaveLength(3)
    const puts = () =>
      inside.requests.filter((request) => isPut(request) && request.status === 200).length

    await killAt(repository, (request) => isPut(request) && puts() === 1)
    expect(await shown(repository)).not.toHaveProperty('movesTo')
    await expectAll()
    // Uploads are closed before the objects are looked at once more.
    await killAt(repository, ({ kind, key }) => {
      return kind === 'head' && key.includes('/objects/') && puts() === 2
    })
    expect(await shown(repository)).toMatchObject({ storage: 'default', movesTo: 'far' })
    await expectAll()

    await run(`repo move-storage ${repository} ${thither}`)
    expect(await shown(repository)).toMatchObject({ uid, storage: 'far' })
    door.forget()
    await expectAll()
    const bytes = door.requests.reduce((sum, { receivedBytes }) => sum + receivedBytes, 0)
    expect(bytes).toBeGreaterThan(0)
    const gets = door.requests.filter(({ kind, status }) => kind === 'get' && status === 206)
    expect(gets.length).toBeGreaterThanOrEqual(files.length)

    await run(`repo move-storage ${repository} --to eu --source far.json --destination eu.json`)
    expect(rowsIn('eu', uid)).toEqual(before)
    await expectAll()
  })
})

function isPut({ kind, key }: StoreRequest): boolean {
  return kind === 'put' && key.includes('/objects/')
}

async function openContent(data: string) {
  const { openCatalogOf, openMaintenance } = await import('@latchkey/storage/maintenance')
  const { systemClock } = await import('@latchkey/service/machine/time')
  const { absentLink } = await import('../src/management/hub-side.ts')
  const folder = join(cwd, data)
  const database = await openCatalogOf({ data: folder })
  const hubSide = { link: absentLink(folder), names: undefined }
  const parts = { data: folder, database, clock: systemClock, ...hubSide }
  const maintenance = await openMaintenance(parts)
  return { maintenance, close: () => database.close() }
}

async function closeAtHub(repository: string): Promise<number> {
  return Number((await atHub('close', repository))['movesNumber'])
}

async function atHub(step: string, repository: string, movesNumber?: number) {
  const { openStore } = await import('@latchkey/hub/management')
  const { verbRunner } = await import('@latchkey/testing/hub/run-verbs')
  const { systemClock } = await import('@latchkey/service/machine/time')
  const place = { data: join(cwd, 'latchkey-data'), database: 'sqlite:latchkey.db' as const }
  const store = await openStore(place, { create: false })
  try {
    const done = verbRunner(store, systemClock)
    return await done('repo move-storage', { repository, to: 'eu', step, movesNumber })
  } finally {
    await store.close()
  }
}
