import { randomBytes, randomUUID } from 'node:crypto'
import { cpSync, existsSync, mkdirSync, rmSync, utimesSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import {
  type CommitHash,
  idFromBytes,
  idLength,
  parseRefName,
  parseRevision,
  type RefName,
  type RepositoryUid,
  tagName,
} from '@latchkey/protocol'
import { childrenOf, hasProc } from '@latchkey/testing/machine/child-processes'
import { sharedFolder } from '@latchkey/testing/machine/folder'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { keepRef, parseObjectHash, type Repository } from '../../src/git/index.ts'
import {
  addFile,
  askGit,
  commitEdits,
  main,
  noCommit,
  openWorld,
  pointTo,
  ref,
  type World,
} from './world.ts'

const folder = sharedFolder()
/** What every test begins with: git takes a process for each object and ref of it. */
let template: World
let place: string
let repository: Repository
let first: CommitHash
let second: CommitHash
beforeAll(async () => {
  template = await openWorld(folder)
  const { repository: made } = template
  first = await commitEdits(made, [await addFile(made, 'a', '1')])
  second = await commitEdits(made, [await addFile(made, 'a', '2')], { parents: [first] })
  await pointTo(made, main, first)
})
afterAll(() => template.git.close())

beforeEach(() => {
  const uid = idFromBytes<RepositoryUid>(randomBytes(idLength))
  place = join(dirname(template.place), `${uid}.git`)
  cpSync(template.place, place, { recursive: true })
  const opened = template.git.open(uid)
  if (opened === undefined) throw new Error(`there is no repository in ${place}`)
  repository = opened
})

async function refs(): Promise<Record<string, string>> {
  return Object.fromEntries(await repository.refs())
}

const lockOfMain = () => existsSync(join(place, 'refs/heads/main.lock'))

describe('a revision', () => {
  const resolved = (text: string) => repository.resolve(parseRevision(text))

  test('is a ref or a full hash, and nothing that git would make of it', async () => {
    await pointTo(repository, keepRef(second), second)
    const short = first.slice(0, 10)
    const texts = [
      ...[
        'HEAD',
        '@',
        'main~0',
        'main^{}',
        'main:a',
        ':/a',
        'heads/main',
        'refs/heads/ma',
        'refs/heads/*',
      ],
      ...[
        short,
        `x-g${short}`,
        `refs/heads/x-g${short}`,
        `refs/heads/x-1-g${short}`,
        '-x',
        '--all',
        '',
      ],
      ...['refs/latchkey/keep', keepRef(second), '1'.repeat(40), 'a'.repeat(64), '0'.repeat(40)],
    ]
    for (const text of texts) expect([text, await resolved(text)]).toEqual([text, undefined])
  })

  test('of a branch, a tag or a pull request leads to its commit', async () => {
    const pull = parseRefName('refs/pr/1') ?? main
    await pointTo(repository, pull, second)
    expect(await resolved('main')).toEqual({ commit: first, ref: main })
    expect(await resolved('refs/heads/main')).toEqual({ commit: first, ref: main })
    expect(await resolved('refs/pr/1')).toEqual({ commit: second, ref: pull })
    expect(await resolved(second)).toEqual({ commit: second, ref: undefined })
  })

  test('is the tag where a branch has the same name, and a tag object leads to its commit', async () => {
    const tag = tagName('main') ?? main
    const about = `object ${second}\ntype commit\ntag main\ntagger x <x> 1 +0000\n\nhello\n`
    const made = askGit(place, ['hash-object', '-t', 'tag', '-w', '--stdin'], about)
    const object = parseObjectHash(made.toString().trim()) ?? second
    await pointTo(repository, tag, object)
    expect(await resolved('main')).toEqual({ commit: second, ref: tag })
    expect(await resolved(object)).toBeUndefined()
  })

  test('is not one that only begins like another', async () => {
    await pointTo(repository, ref('team/x'), first)
    expect(await resolved('team')).toBeUndefined()
    expect(await resolved('team/x')).toMatchObject({ commit: first })
  })
})

describe('refs', () => {
  test('are listed without those that keep commits', async () => {
    await pointTo(repository, keepRef(second), second)
    await pointTo(repository, ref('ü/🙂'), second)
    expect(await refs()).toEqual({ [main]: first, [ref('ü/🙂')]: second })
    const only = [keepRef(second), main]
    expect(Object.fromEntries(await repository.refs({ only }))).toEqual({
      ...{ [keepRef(second)]: second, [main]: first },
    })
  })

  test('have names that are checked, whatever the types say', async () => {
    const names = [
      'HEAD',
      'main',
      'refs/heads/a\0b',
      'refs/heads/a b',
      'refs/heads/../x',
      'refs/replace/x',
      'refs/latchkey/x',
    ]
    for (const name of names) {
      const change = { ref: name as RefName, old: undefined, new: first }
      await expect(repository.prepareRefs([change])).rejects.toThrow(TypeError)
    }
    const hash = { ref: main, old: undefined, new: 'main' as CommitHash }
    await expect(repository.prepareRefs([hash])).rejects.toThrow(TypeError)
  })
})

describe('a change of refs', () => {
  test('happens at commit, and until then the refs are locked and as before', async () => {
    const prepared = await repository.prepareRefs([
      { ref: main, old: first, new: second },
      { ref: ref('new'), old: noCommit, new: second },
      { ref: keepRef(first), old: undefined, new: first },
    ])
    expect([prepared.ok, lockOfMain(), await refs()]).toEqual([true, true, { [main]: first }])
    if (prepared.ok) await prepared.commit()
    expect([lockOfMain(), await refs()]).toEqual([false, { [main]: second, [ref('new')]: second }])
    const deleted = await repository.prepareRefs([{ ref: ref('new'), old: second, new: noCommit }])
    if (deleted.ok) await deleted.commit()
    expect(await refs()).toEqual({ [main]: second })
  })

  test('leaves nothing when it is given up, and giving up twice is fine', async () => {
    const prepared = await repository.prepareRefs([{ ref: main, old: first, new: second }])
    if (!prepared.ok) throw new Error(prepared.conflict)
    await prepared.abort()
    await prepared.abort()
    expect([lockOfMain(), await refs()]).toEqual([false, { [main]: first }])
    await expect(prepared.commit()).rejects.toThrow()
    expect(await refs()).toEqual({ [main]: first })
  })

  test('is given up when nobody says what becomes of it', async () => {
    const change = [{ ref: main, old: first, new: second }]
    const prepared = await repository.prepareRefs(change, { holdMs: 500 })
    if (!prepared.ok) throw new Error(prepared.conflict)
    await prepared.ended
    expect([lockOfMain(), await refs()]).toEqual([false, { [main]: first }])
    await expect(prepared.commit()).rejects.toMatchObject({ reason: 'deadline' })
    expect(await refs()).toEqual({ [main]: first })
  })

  test.each([
    ['moved', () => [{ ref: main, old: second, new: second }]],
    ['moved', () => [{ ref: main, old: noCommit, new: second }]],
    ['moved', () => [{ ref: ref('no'), old: first, new: second }]],
    ['moved', () => [{ ref: ref('no'), old: first, new: noCommit }]],
    ['name-taken', () => [{ ref: ref('main/x'), old: noCommit, new: second }]],
  ] as const)('is refused as %s, and nothing of it happens', async (conflict, changes) => {
    const other = { ref: ref('other'), old: noCommit, new: second } as const
    expect(await repository.prepareRefs([other, ...changes()])).toEqual({ ok: false, conflict })
    expect([lockOfMain(), await refs()]).toEqual([false, { [main]: first }])
  })

  test('waits for another of the same ref, and then finds that it has moved', async () => {
    const change = [{ ref: main, old: first, new: second }]
    const prepared = await repository.prepareRefs(change)
    const waits = repository.prepareRefs(change)
    if (!prepared.ok) throw new Error(prepared.conflict)
    await prepared.commit()
    expect(await waits).toEqual({ ok: false, conflict: 'moved' })
  })
})

describe('recovery', () => {
  const expected = () =>
    new Map([
      [main, second],
      [ref('made'), first],
    ])

  test('brings refs to what the directory has, and again changes nothing', async () => {
    await pointTo(repository, ref('gone'), first)
    await pointTo(repository, ref('made/before'), first)
    await pointTo(repository, keepRef(first), first)
    const { changed, missing } = await repository.recover(expected())
    expect(changed.map(({ ref }) => ref).toSorted()).toEqual(
      [ref('gone'), ref('made'), ref('made/before'), main].toSorted(),
    )
    expect([missing, await refs()]).toEqual([[], Object.fromEntries(expected())])
    expect(await repository.recover(expected())).toEqual({
      changed: [],
      missing: [],
      removedFiles: [],
    })
    expect((await repository.refs({ only: [keepRef(first)] })).size).toBe(1)
  })

  test('removes locks, old halves of objects and empty refs that a kill has left', async () => {
    const left = [
      'refs/heads/main.lock',
      'packed-refs.lock',
      'HEAD.lock',
      'packed-refs.new',
      'objects/ab/tmp_obj_x',
      'refs/heads/empty',
    ]
    mkdirSync(join(place, 'objects/ab'), { recursive: true })
    for (const name of left) writeFileSync(join(place, name), '')
    utimesSync(join(place, 'objects/ab/tmp_obj_x'), 0, 0)
    const { removedFiles } = await repository.recover(expected())
    expect(removedFiles.toSorted()).toEqual(left.map((name) => join(place, name)).toSorted())
    expect(await refs()).toEqual(Object.fromEntries(expected()))
    expect(await repository.fsck()).toEqual([])
  })

  test('leaves objects alone that a commit is writing', async () => {
    let isOver = false
    const recovering = async () => {
      while (!isOver) await repository.recover(expected())
    }
    const recovered = recovering()
    try {
      for (const count of [40, 200, 40, 200]) {
        const blobs = repository.writeBlobs()
        for (let at = 0; at < count; at += 1) {
          await blobs.add(Buffer.from(`${count} ${at} ${randomUUID()}`))
        }
        await blobs.flush()
      }
    } finally {
      isOver = true
      await recovered
    }
    expect(await repository.fsck()).toEqual([])
  })

  test('settles refs that a killed git still holds, also if the directory has moved them', async ({
    skip,
  }) => {
    if (!hasProc) skip('children are not shown here')
    const others = new Set(childrenOf(process.pid))
    const prepared = await repository.prepareRefs([{ ref: main, old: first, new: second }])
    if (!prepared.ok) throw new Error(prepared.conflict)
    for (const pid of childrenOf(process.pid)) if (!others.has(pid)) process.kill(pid, 'SIGKILL')
    await expect(prepared.commit()).rejects.toMatchObject({ reason: 'crash' })
    expect([lockOfMain(), await refs()]).toEqual([true, { [main]: first }])
    const { changed, removedFiles } = await repository.recover(new Map([[main, second]]))
    expect(changed).toHaveLength(1)
    // Some versions of git lock HEAD as well.
    expect(removedFiles).toContainEqual(expect.stringContaining('main.lock'))
    expect([lockOfMain(), await refs()]).toEqual([false, { [main]: second }])
  })

  test('leaves a branch alone whose name is that of a file of git', async () => {
    const wanted = new Map([[ref('packed-refs.new'), first]])
    await repository.recover(wanted)
    expect((await repository.recover(wanted)).removedFiles).toEqual([])
    expect(await refs()).toEqual({ [ref('packed-refs.new')]: first })
  })

  test('takes away a ref that the directory has at a commit which is not here, keeps what it had, and names it', async () => {
    const lost = parseObjectHash('12'.repeat(20)) ?? first
    const { missing } = await repository.recover(
      new Map([
        [main, lost],
        [ref('made'), first],
      ]),
    )
    expect([missing, await refs()]).toEqual([[main], { [ref('made')]: first }])
    expect((await repository.refs({ only: [keepRef(first)] })).size).toBe(1)
  })

  test('waits until a change that is under way is settled', async () => {
    const prepared = await repository.prepareRefs([{ ref: main, old: first, new: second }])
    if (!prepared.ok) throw new Error(prepared.conflict)
    const recovering = repository.recover(new Map([[main, first]]))
    await prepared.commit()
    expect((await recovering).changed).toMatchObject([{ ref: main, old: second, new: first }])
    expect(await refs()).toEqual({ [main]: first })
  })
})

test('a repository that is damaged is told so', async () => {
  expect(await repository.fsck()).toEqual([])
  const file = join(place, 'objects', first.slice(0, 2), first.slice(2))
  rmSync(file, { force: true })
  expect((await repository.fsck()).join('\n')).toContain(first)
})
