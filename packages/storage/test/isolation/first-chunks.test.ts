/** The first chunk of a file leads to the xorbs of that file: to those that the token sees, and to no other. */

import { rmSync } from 'node:fs'
import { type MadeXorb, makeFile, makeXorb, randomChunks } from '@latchkey/testing/xet/making'
import { isFormatError, readShard } from '@latchkey/xet/format'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Caller } from '../caller.ts'
import { openStage, type Stage } from '../stage.ts'

let stage: Stage
beforeAll(async () => {
  stage = await openStage()
})
afterAll(() => stage.close())

/** So many xorbs of one seed, and the file that is made of all of them. */
function madeOf(seed: string, count: number, chunks = 2) {
  const xorbs = Array.from({ length: count }, (_, index) =>
    makeXorb(randomChunks(`${seed} ${index}`, chunks, 50), { scheme: 'none' }),
  )
  const file = makeFile(xorbs.map((xorb) => ({ xorb })))
  return { xorbs, file, firstChunk: xorbs[0]?.table.hash(0) ?? '' }
}

async function send(caller: Caller, xorbs: readonly MadeXorb[]): Promise<void> {
  for (const xorb of xorbs) expect((await caller.upload(xorb)).status).toBe(200)
}

/** The xorbs that the answer names; undefined where there is none. */
async function named(caller: Caller, chunk: string): Promise<readonly string[] | undefined> {
  const { status, bytes } = await caller.ask(`GET /v1/chunks/default-merkledb/${chunk}`)
  if (status === 404) return undefined
  const hashes: string[] = []
  for await (const part of readShard(inOnePiece(bytes))) {
    if (isFormatError(part)) throw new Error(part.flaw)
    if (part.kind === 'xorb') hashes.push(part.hash)
  }
  return hashes
}

async function* inOnePiece(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  yield bytes
}

const namesOf = (xorbs: readonly MadeXorb[]) => xorbs.map(({ hash }) => hash)

describe('not named', () => {
  test('what another repository or ref has of the same file', async () => {
    const { xorbs, file, firstChunk } = madeOf('elsewhere', 3)
    const repository = await stage.newRepository()
    await stage.newBranch(repository, 'apart')
    const owner = await stage.caller(`write ${repository}@main`)
    await send(owner, xorbs)
    expect((await owner.register([file])).status).toBe(200)
    const strangers = [`${repository}@apart`, `${await stage.newRepository()}@main`]
    for (const place of strangers) {
      const stranger = await stage.caller(`write ${place}`)
      expect(await named(stranger, firstChunk)).toBeUndefined()
      await send(stranger, xorbs.slice(0, 1))
      expect(await named(stranger, firstChunk)).toEqual(namesOf(xorbs.slice(0, 1)))
    }
    expect(await named(owner, firstChunk)).toEqual(namesOf(xorbs))
  })

  test('what came after a fork', async () => {
    const { xorbs, file, firstChunk } = madeOf('later', 3)
    const repository = await stage.newRepository()
    const owner = await stage.caller(`write ${repository}@main`)
    await send(owner, xorbs.slice(0, 1))
    await stage.newBranch(repository, 'fork', 'main')
    await send(owner, xorbs.slice(1))
    expect((await owner.register([file])).status).toBe(200)
    const fork = await stage.caller(`write ${repository}@fork`)
    expect(await named(fork, firstChunk)).toEqual(namesOf(xorbs.slice(0, 1)))
    await stage.newBranch(repository, 'later', 'main')
    const later = await stage.caller(`read ${repository}@later`)
    expect(await named(later, firstChunk)).toEqual(namesOf(xorbs))
  })

  test('an object that is lost, and none at all where all are', async () => {
    const { xorbs, file, firstChunk } = madeOf('lost', 3)
    const caller = await stage.caller(`write ${await stage.newRepository()}@main`)
    const before = new Set(stage.objects())
    const lose = (name = '') => rmSync(stage.objectFile(name))
    const objects: (string | undefined)[] = []
    for (const xorb of xorbs) {
      await send(caller, [xorb])
      objects.push(stage.objects().find((name) => !before.has(name)))
      for (const name of stage.objects()) before.add(name)
    }
    await caller.register([file])
    lose(objects[1])
    expect(await named(caller, firstChunk)).toEqual(namesOf(xorbs.toSpliced(1, 1)))
    lose(objects[0])
    expect(await named(caller, firstChunk)).toEqual(namesOf(xorbs.slice(2)))
    lose(objects[2])
    expect(await named(caller, firstChunk)).toBeUndefined()
  })
})

describe('named', () => {
  test('a xorb by its first chunk, before any file is registered', async () => {
    const { xorbs } = madeOf('unregistered', 2)
    const caller = await stage.caller(`write ${await stage.newRepository()}@main`)
    await send(caller, xorbs)
    for (const xorb of xorbs) {
      expect(await named(caller, xorb.table.hash(0))).toEqual([xorb.hash])
      expect(await named(caller, xorb.table.hash(1))).toBeUndefined()
    }
  })

  test('64 xorbs of a file that has more, and 22000 chunks', async () => {
    const caller = await stage.caller(`write ${await stage.newRepository()}@main`)
    const many = madeOf('many', 70, 1)
    await send(caller, many.xorbs)
    await caller.register([many.file])
    expect(await named(caller, many.firstChunk)).toEqual(namesOf(many.xorbs.slice(0, 64)))
    const long = madeOf('long', 3, 8000)
    await send(caller, long.xorbs)
    await caller.register([long.file])
    expect(await named(caller, long.firstChunk)).toEqual(namesOf(long.xorbs.slice(0, 2)))
  })

  test('those of the file that came last, where several begin with the chunk', async () => {
    const caller = await stage.caller(`write ${await stage.newRepository()}@main`)
    const [one, other] = [madeOf('one', 2), madeOf('other', 1)]
    const [head, tail] = one.xorbs as [MadeXorb, MadeXorb]
    await send(caller, [...one.xorbs, ...other.xorbs])
    await caller.register([makeFile([{ xorb: head }, { xorb: tail }])])
    expect(await named(caller, one.firstChunk)).toEqual(namesOf([head, tail]))
    await caller.register([makeFile([{ xorb: head }, ...other.xorbs.map((xorb) => ({ xorb }))])])
    expect(await named(caller, one.firstChunk)).toEqual(namesOf([head, ...other.xorbs]))
  })
})

test('a file without chunks is registered, and leads nowhere', async () => {
  const caller = await stage.caller(`write ${await stage.newRepository()}@main`)
  expect((await caller.register([makeFile([])])).status).toBe(200)
  expect(await named(caller, '0'.repeat(64))).toBeUndefined()
})

test('HEAD of a file says whether the own ref has it, or only sees it', async () => {
  const { xorbs, file } = madeOf('whose', 1)
  const repository = await stage.newRepository()
  const owner = await stage.caller(`write ${repository}@main`)
  await send(owner, xorbs)
  await owner.register([file])
  await stage.newBranch(repository, 'fork', 'main')
  const fork = await stage.caller(`write ${repository}@fork`)
  const registered = async (caller: Caller) =>
    (await caller.ask(`HEAD /v1/files/${file.hash}`)).headers.get('x-latchkey-registered')
  expect([await registered(owner), await registered(fork)]).toEqual(['own', 'inherited'])
  await fork.register([file])
  expect(await registered(fork)).toBe('own')
})
