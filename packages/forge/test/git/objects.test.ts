import { randomBytes } from 'node:crypto'
import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { parseCommitHash, unixSeconds } from '@latchkey/protocol'
import { childrenOf, hasProc } from '@latchkey/testing/machine/child-processes'
import { sharedFolder, temporaryFolder } from '@latchkey/testing/machine/folder'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { type ObjectHash, parseObjectHash, type Repository } from '../../src/git/index.ts'
import { askGit, openWorld, readAll, uidOf, type World } from './world.ts'

const folder = sharedFolder()
let world: World
let repository: Repository
beforeAll(async () => {
  world = await openWorld(folder)
  repository = world.repository
})
afterAll(() => world.git.close())

const absent = hash('12'.repeat(20))

function hash(text: string): ObjectHash {
  const parsed = parseObjectHash(text)
  if (parsed === undefined) throw new Error(`no hash: ${text}`)
  return parsed
}

test('nothing but a full hash is taken for an object', async () => {
  for (const text of [
    '',
    'HEAD',
    'refs/heads/main',
    'abc',
    `${absent}^{}`,
    `${absent}\ninfo x`,
    '0'.repeat(40),
  ]) {
    const pretended = text as ObjectHash
    expect(parseObjectHash(text)).toBeUndefined()
    await expect(repository.infoOf([pretended])).rejects.toThrow(TypeError)
    await expect(repository.readObject(pretended, 10)).rejects.toThrow(TypeError)
  }
  expect(parseObjectHash('a'.repeat(64))).toBeUndefined()
})

describe('content', () => {
  test.each([0, 1, 65_536, 300_000, 1_000_000])(
    'of %d bytes comes back as it was written, whole and in ranges',
    async (size) => {
      const content = randomBytes(size)
      const written = await repository.writeBlob(pieces(content, 50_000))
      expect(await repository.infoOf([written])).toEqual([{ hash: written, kind: 'blob', size }])
      const blob = await repository.streamBlob(written)
      expect(blob?.size).toBe(size)
      expect(content.equals(await readAll(blob?.bytes() ?? none()))).toBe(true)
      const ranges = [
        [0, 1],
        [size - 1, size],
        [Math.floor(size / 3), Math.floor(size / 2)],
        [size, size + 5],
      ]
      for (const [start = 0, end = 0] of ranges) {
        const part = await repository.streamBlob(written, {
          range: { start: Math.max(0, start), end },
        })
        const expected = content.subarray(Math.max(0, start), end)
        expect(expected.equals(await readAll(part?.bytes() ?? none()))).toBe(true)
      }
    },
  )

  test('that is not there, or is no file, is undefined', async () => {
    const { tree } = await emptyTree()
    expect(await repository.streamBlob(absent)).toBeUndefined()
    expect(await repository.streamBlob(tree)).toBeUndefined()
    expect(await repository.readObject(absent, 10)).toBeUndefined()
  })

  test('that is larger than the reader takes is not read', async () => {
    const written = await repository.writeBlob(Buffer.alloc(11))
    await expect(repository.readObject(written, 10)).rejects.toMatchObject({ reason: 'too-large' })
    expect((await repository.readObject(written, 11))?.bytes).toEqual(Buffer.alloc(11))
  })

  test('that is larger than it may be, or breaks off, is not stored', async () => {
    const before = filesIn(world.place)
    const large = repository.writeBlob(pieces(Buffer.alloc(1000, 'x'), 300), { maxBytes: 999 })
    await expect(large).rejects.toMatchObject({ reason: 'too-large' })
    const broken = async function* () {
      yield Buffer.from('half of it')
      throw new Error('the client has gone')
    }
    await expect(repository.writeBlob(broken())).rejects.toThrow('the client has gone')
    expect(filesIn(world.place)).toEqual(before)
  })

  test('is no longer read when the client stops, and the process ends', async ({ skip }) => {
    if (!hasProc) skip('children are not shown here')
    const written = await repository.writeBlob(Buffer.alloc(5_000_000, 'slow '))
    await repository.infoOf([written])
    const before = childrenOf(process.pid).length
    const blob = await repository.streamBlob(written)
    for await (const part of blob?.bytes() ?? none()) {
      expect(part.length).toBeGreaterThan(0)
      break
    }
    await vi.waitFor(() => expect(childrenOf(process.pid).length).toBe(before), 180_000)
  })
})

test('many objects are asked for at once, and each answer belongs to its question', async () => {
  const sizes = [3, 0, 7, 3, 100_000]
  const hashes = await Promise.all(
    sizes.map((size) => repository.writeBlob(Buffer.alloc(size, 'y'))),
  )
  const asked = Array.from({ length: 200 }, (_, at) =>
    at % 7 === 6 ? absent : (hashes[at % 5] ?? absent),
  )
  const [infos, ...objects] = await Promise.all([
    repository.infoOf(asked),
    ...asked.map((one) => repository.readObject(one, 100_000)),
  ])
  const expected = asked.map((_, at) => (at % 7 === 6 ? undefined : sizes[at % 5]))
  expect(infos.map((info) => info?.size)).toEqual(expected)
  expect(objects.map((object) => object?.bytes.length)).toEqual(expected)
})

describe('readers', () => {
  test('are never more than their bound, and repositories beyond it wait', async ({ skip }) => {
    if (!hasProc) skip('children are not shown here')
    const few = await openWorld(temporaryFolder(), { bounds: { maxReaders: 2 } })
    const others = await Promise.all(
      'bcdefg'.split('').map((letter) => few.git.create(uidOf(letter))),
    )
    const before = childrenOf(process.pid).length
    let most = 0
    const ask = async (one: Repository) => {
      await one.infoOf([absent])
      most = Math.max(most, childrenOf(process.pid).length - before)
      return one.infoOf([absent])
    }
    const answers = await Promise.all([...others, ...others].map(ask))
    expect(answers).toEqual(Array(12).fill([undefined]))
    // One that was told to end may still be there.
    expect(most).toBeLessThanOrEqual(4)
    few.git.close()
  })

  test('end when nobody asks, and start again when somebody does', async ({ skip }) => {
    if (!hasProc) skip('children are not shown here')
    const brief = await openWorld(temporaryFolder(), { bounds: { readerIdleMs: 1 } })
    const before = new Set(childrenOf(process.pid))
    for (let round = 0; round < 3; round += 1) {
      expect(await brief.repository.infoOf([absent])).toEqual([undefined])
      await vi.waitFor(
        () => expect(childrenOf(process.pid).filter((pid) => !before.has(pid))).toEqual([]),
        30_000,
      )
    }
  })
})

describe('a commit', () => {
  test('is read as it was written', async () => {
    const { tree } = await emptyTree()
    const at = unixSeconds(1_700_000_000)
    const people = {
      author: { name: 'Ädä', email: 'ada@example.org' },
      committer: { name: 'Bob', email: '' },
    }
    const first = await repository.writeCommit({
      tree,
      parents: [],
      ...people,
      message: 'Größe\n\nmore',
      at,
    })
    const commit = await repository.writeCommit({
      tree,
      parents: [first],
      ...people,
      message: '',
      at,
    })
    expect(await repository.readCommit(first)).toEqual({
      ...{ hash: first, tree, parents: [], message: 'Größe\n\nmore\n' },
      author: { ...people.author, at },
      committer: { ...people.committer, at },
    })
    expect(await repository.readCommit(commit)).toMatchObject({ parents: [first], message: '\n' })
    expect(await repository.treeOf(commit)).toBe(tree)
    expect(await repository.readCommit(parseCommitHash(tree) ?? first)).toBeUndefined()
  })

  test.each(['', '.', ' <> ', 'a\nb', 'evil\ncommitter x <y> 1 +0000', 'nul\0nul', '-x', '"'])(
    'has one author, whatever he is called: %j',
    async (name) => {
      const { tree } = await emptyTree()
      const person = { name, email: name }
      const commit = await repository.writeCommit({
        ...{ tree, parents: [], author: person, committer: person, message: `by ${name}` },
        at: unixSeconds(1),
      })
      const text = askGit(world.place, ['cat-file', 'commit', commit]).toString()
      const [head = ''] = text.split('\n\n', 1)
      expect(head).toMatch(
        /^tree .*\nauthor [^\n<>]+ <[^\n<>]*> 1 \+0000\ncommitter [^\n<>]+ <[^\n<>]*> 1 \+0000$/,
      )
    },
  )

  test('of another program is read, whatever its bytes', async () => {
    const { tree } = await emptyTree()
    const head = `tree ${tree}\nauthor \xc4da <a> 5 +0100\ncommitter nobody\nencoding ISO-8859-1\n`
    const text = Buffer.from(`${head}\nGr\xf6\xdfe`, 'latin1')
    const args = ['hash-object', '-t', 'commit', '-w', '--stdin', '--literally']
    const written = parseCommitHash(askGit(world.place, args, text).toString().trim())
    expect(written && (await repository.readCommit(written))).toMatchObject({
      ...{ message: 'Größe', author: { name: 'Äda', email: 'a', at: 5 } },
      committer: { name: 'nobody', email: '', at: 0 },
    })
  })
})

async function emptyTree(): Promise<{ readonly tree: ObjectHash }> {
  const changed = await repository.changeTree(undefined, [])
  if (!changed.ok) throw new Error(changed.refusal)
  return changed
}

async function* pieces(content: Buffer, size: number) {
  for (let at = 0; at < content.length; at += size) yield content.subarray(at, at + size)
}

async function* none(): AsyncGenerator<Uint8Array> {}

function filesIn(place: string): readonly string[] {
  return readdirSync(join(place, 'objects'), { recursive: true }).map(String).toSorted()
}

describe('a batch of files', () => {
  test('is stored as git itself would store each of them, whatever their lengths', async () => {
    const sizes = [0, 1, 15, 16, 17, 2047, 2048, 70_000, 262_144, 262_145]
    const contents = sizes.map((size) => randomBytes(size))
    const batch = repository.writeBlobs()
    const hashes = await Promise.all([...contents, ...contents].map((one) => batch.add(one)))
    await batch.flush()
    for (const [at, content] of contents.entries()) {
      const own = hash(askGit(world.place, ['hash-object', '--stdin'], content).toString().trim())
      expect([hashes[at], hashes[at + sizes.length]]).toEqual([own, own])
      const found = await repository.readObject(own, 300_000)
      expect(found?.kind).toBe('blob')
      expect(content.equals(found?.bytes ?? Buffer.from('other'))).toBe(true)
    }
  })

  test('of more files than one process takes is stored whole', async () => {
    const batch = repository.writeBlobs()
    const hashes: ObjectHash[] = []
    for (let at = 0; at < 1001; at += 1) hashes.push(await batch.add(Buffer.from(`file ${at}`)))
    await batch.flush()
    const infos = await repository.infoOf(hashes)
    expect(infos.filter((info) => info?.kind === 'blob')).toHaveLength(1001)
  })
})
