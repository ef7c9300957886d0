/** Random edits, beside a model that is a map from paths to contents. */

import { unixSeconds } from '@latchkey/protocol'
import { rounds } from '@latchkey/testing/chance'
import { sharedFolder } from '@latchkey/testing/machine/folder'
import fc from 'fast-check'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Edit, ObjectHash, Repository } from '../../src/git/index.ts'
import { ada, askGit, main, openWorld, path, pointTo, type World } from './world.ts'

const folder = sharedFolder()
let world: World
let repository: Repository
let blobs: readonly ObjectHash[]
beforeAll(async () => {
  world = await openWorld(folder)
  repository = world.repository
  const contents = ['', 'one', 'two']
  blobs = await Promise.all(contents.map((content) => repository.writeBlob(Buffer.from(content))))
})
afterAll(() => world.git.close())

/** Few names, and some that sort otherwise with a slash behind them, so that edits meet. */
const part = fc.constantFrom('a', 'a.b', 'a-b', 'a0', 'ü', ':x')
const somePath = fc
  .array(part, { minLength: 1, maxLength: 3 })
  .map((parts) => path(parts.join('/')))
const someEdit = fc.oneof(
  {
    weight: 5,
    arbitrary: fc.record({
      kind: fc.constant('add' as const),
      path: somePath,
      content: fc.nat(2),
      mode: fc.constantFrom('100644' as const, '100755' as const),
    }),
  },
  fc.record({ kind: fc.constantFrom('delete' as const, 'delete-folder' as const), path: somePath }),
  fc.record({ kind: fc.constant('copy' as const), from: somePath, path: somePath }),
)
type SomeEdit = typeof someEdit extends fc.Arbitrary<infer T> ? T : never

/** `mode hash` by path. */
type Model = ReadonlyMap<string, string>

function withHash(edit: SomeEdit): Edit {
  if (edit.kind !== 'add') return edit
  const { kind, mode } = edit
  return { kind, mode, path: edit.path, hash: blobs[edit.content] ?? ('' as ObjectHash) }
}

/** Undefined when the edit is refused. */
function applyToModel(model: Model, edit: Edit, base: Model): Model | undefined {
  const isFolder = (name: string) => [...model.keys()].some((path) => path.startsWith(`${name}/`))
  const parts = edit.path.split('/')
  const above = parts.slice(1).map((_, at) => parts.slice(0, at + 1).join('/'))
  switch (edit.kind) {
    case 'delete':
      return model.has(edit.path) ? without(model, (name) => name === edit.path) : undefined
    case 'delete-folder':
      return isFolder(edit.path)
        ? without(model, (name) => name.startsWith(`${edit.path}/`))
        : undefined
    case 'add':
      if (isFolder(edit.path) || above.some((name) => model.has(name))) return undefined
      return new Map([...model, [edit.path, `${edit.mode} ${edit.hash}`]])
    case 'copy': {
      const file = base.get(edit.from)
      if (file === undefined || isFolder(edit.path)) return undefined
      if (above.some((name) => model.has(name))) return undefined
      return new Map([...model, [edit.path, file]])
    }
  }
}

function without(model: Model, goes: (name: string) => boolean): Model {
  return new Map([...model].filter(([name]) => !goes(name)))
}

function filesOf(tree: ObjectHash): Model {
  const said = askGit(world.place, ['ls-tree', '-r', '-z', tree]).toString()
  return new Map(
    said
      .split('\0')
      .slice(0, -1)
      .map((line) => {
        const [about = '', name = ''] = line.split('\t')
        return [name, about.replace(' blob', '')]
      }),
  )
}

test(
  'random edits give what a map of paths would have, or are refused where it would refuse',
  async () => {
    const trees: ObjectHash[] = []
    const commits = fc.array(fc.array(someEdit, { minLength: 1, maxLength: 6 }), {
      minLength: 1,
      maxLength: 4,
    })
    const property = fc.asyncProperty(commits, async (histories) => {
      let model: Model = new Map()
      let tree: ObjectHash | undefined
      for (const some of histories) {
        // What the model refuses is tried alone; the rest together.
        const base = model
        const edits: Edit[] = []
        let refused: Edit | undefined
        for (const edit of some.map(withHash)) {
          const next = applyToModel(model, edit, base)
          if (next === undefined) refused ??= edits.length === 0 ? edit : undefined
          else edits.push(edit)
          model = next ?? model
        }
        if (refused !== undefined) {
          expect(await repository.changeTree(tree, [refused])).toMatchObject({
            ok: false,
            edit: refused,
          })
        }
        const changed = await repository.changeTree(tree, edits)
        if (!changed.ok) throw new Error(`${changed.refusal}: ${JSON.stringify(changed.edit)}`)
        tree = changed.tree
        trees.push(tree)
        expect(new Map([...filesOf(tree)].toSorted())).toEqual(new Map([...model].toSorted()))
      }
    })
    await fc.assert(property, { numRuns: rounds(10, 3000) })
    await keep(trees)
    expect(await repository.fsck()).toEqual([])
  },
  rounds(180_000, 3_600_000),
)

/** Each is the folder of a commit, one on top of the other, so that git checks all of them. */
async function keep(trees: readonly ObjectHash[]): Promise<void> {
  const person = { author: ada, committer: ada, at: unixSeconds(1) }
  const last = trees.slice(-20)
  let commit = await repository.writeCommit({
    ...person,
    tree: last[0] ?? blobs[0] ?? ('' as ObjectHash),
    parents: [],
    message: '0',
  })
  for (const tree of last.slice(1))
    commit = await repository.writeCommit({ ...person, tree, parents: [commit], message: '' })
  await pointTo(repository, main, commit)
}
