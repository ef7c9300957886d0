/** Commits, branches, tags, pull requests, deletions and collections in any order, against a model of what must be read. */

import { isRefusal } from '@latchkey/protocol'
import { type Chance, chance, printedChance, rounds } from '@latchkey/testing/chance'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { collect } from '../../src/maintenance/collect.ts'
import {
  type Answer,
  type ForgeStage,
  isGitThere,
  type Large,
  largeOf,
  openForgeStage,
} from './forge-stage.ts'

const histories = rounds(1, 30)
const steps = rounds(9, 30)

let stage: ForgeStage
beforeAll(async () => {
  if (isGitThere) stage = await openForgeStage()
})
afterAll(() => stage?.close())

type Files = ReadonlyMap<string, Large>

interface History {
  readonly model: string
  readonly chance: Chance
  /** Every commit that was ever made, with its large files. */
  readonly commits: Map<string, Files>
  readonly refs: Map<string, string>
  /** What was uploaded to a branch, and never committed. */
  readonly unused: Map<string, Large[]>
}

const pick = <Item>({ next }: Chance, items: readonly Item[]): Item => {
  const item = items[Math.floor(next() * items.length)]
  if (item === undefined) throw new Error('there is nothing to choose from')
  return item
}

const short = (ref: string) => ref.replace(/^refs\/(?:heads|tags)\//, '')
const branches = ({ refs }: History) => [...refs.keys()].filter((ref) => ref.includes('/heads/'))
const address = ({ model }: History, rest: string) => `/api/models/acme/${model}/${rest}`
const encoded = (ref: string) => encodeURIComponent(short(ref))
const ok = ({ status, json }: Answer) =>
  expect([status, status === 200 ? '' : json]).toEqual([200, ''])

/** A ref or a commit on record. */
function someRevision(history: History): readonly [revision: string, commit: string] {
  const named = [...history.refs].map(([ref, commit]) => [short(ref), commit] as const)
  const hashes = [...history.commits.keys()].map((hash) => [hash, hash] as const)
  return pick(history.chance, [...named, ...hashes])
}

type Step = (history: History, step: number) => Promise<void>

const commit: Step = async (history, step) => {
  const ref = pick(history.chance, branches(history))
  const large = largeOf(`${history.model} ${step}`)
  const path = `${pick(history.chance, ['a', 'b', 'c'])}.bin`
  const told = await stage.commitLarge(history.model, { revision: short(ref), path, large })
  ok(told)
  const before = history.commits.get(history.refs.get(ref) ?? '')
  history.commits.set(told.json.commitOid, new Map([...(before ?? []), [path, large]]))
  history.refs.set(ref, told.json.commitOid)
}

const propose: Step = async (history, step) => {
  const ref = pick(history.chance, branches(history))
  const large = largeOf(`${history.model} ${step}`)
  const told = await stage.commitLarge(history.model, {
    ...{ revision: short(ref), path: 'pr.bin', large, as: 'reader', createsPullRequest: true },
  })
  ok(told)
  const before = history.commits.get(history.refs.get(ref) ?? '')
  history.commits.set(told.json.commitOid, new Map([...(before ?? []), ['pr.bin', large]]))
  const number = told.json.pullRequestUrl.split('/').at(-1)
  history.refs.set(`refs/pr/${number}`, told.json.commitOid)
}

const upload: Step = async (history, step) => {
  const ref = pick(history.chance, branches(history))
  const large = largeOf(`${history.model} ${step}`)
  const writer = await stage.callerAt(address(history, `xet-write-token/${encoded(ref)}`))
  await writer.upload(large.xorb)
  await writer.register([large.file], [large.xorb])
  history.unused.set(ref, [...(history.unused.get(ref) ?? []), large])
}

const fork: Step = async (history, step) => {
  const [startingPoint, at] = someRevision(history)
  ok(await stage.api(address(history, `branch/b${step}`), { body: { startingPoint } }))
  history.refs.set(`refs/heads/b${step}`, at)
}

const force: Step = async (history) => {
  const ref = pick(history.chance, branches(history))
  const [startingPoint, at] = someRevision(history)
  const body = { startingPoint, overwrite: true }
  ok(await stage.api(address(history, `branch/${encoded(ref)}`), { body }))
  history.refs.set(ref, at)
}

const tag: Step = async (history, step) => {
  const [revision, at] = someRevision(history)
  const message = history.chance.next() < 0.5 ? { message: `step ${step}` } : {}
  const body = { tag: `t${step}`, ...message }
  ok(await stage.api(address(history, `tag/${encodeURIComponent(revision)}`), { body }))
  history.refs.set(`refs/tags/t${step}`, at)
}

const remove: Step = async (history) => {
  const others = [...history.refs.keys()].filter((ref) => !/refs\/pr\/|heads\/main$/.test(ref))
  if (others.length === 0) return
  const ref = pick(history.chance, others)
  const kind = ref.includes('/tags/') ? 'tag' : 'branch'
  ok(await stage.api(address(history, `${kind}/${encoded(ref)}`), { method: 'DELETE' }))
  history.refs.delete(ref)
  history.unused.delete(ref)
}

/** Afterwards the disk has what a commit on record names or a branch was given, and nothing else. */
const gc: Step = async ({ commits, unused }) => {
  stage.world.passSeconds(25 * 3600)
  const collected = await collect(stage.maintenance, { now: stage.world.now(), isDryRun: false })
  expect(isRefusal(collected)).toBe(false)
  const needed = [...commits.values()].flatMap((files) => [...files.values()])
  const kept = new Set([...needed, ...[...unused.values()].flat()].map(({ oid }) => oid))
  expect(stage.objects()).toHaveLength(kept.size)
}

const kinds: readonly Step[] = [
  commit,
  commit,
  commit,
  propose,
  upload,
  fork,
  force,
  tag,
  remove,
  remove,
  gc,
]

async function expectModel({ model, commits, refs }: History): Promise<void> {
  expect(await stage.refs(model)).toEqual(Object.fromEntries(refs))
  const named = [...refs].map(([ref, commit]) => [short(ref), commit] as const)
  const hashes = [...commits.keys()].map((hash) => [hash, hash] as const)
  for (const [revision, commit] of [...named, ...hashes]) {
    const files = [...(commits.get(commit)?.values() ?? [])]
    if (files.length === 0) continue
    const rest = `xet-read-token/${encodeURIComponent(revision)}`
    const reader = await stage.callerAt(`/api/models/acme/${model}/${rest}`, 'reader')
    const told = await Promise.all(
      files.map(({ file }) => reader.ask(`HEAD /v1/files/${file.hash}`)),
    )
    expect(
      told.map(({ status }) => status),
      revision,
    ).toEqual(files.map(() => 200))
  }
}

// conformance: Forge / Content follows refs
test.skipIf(!isGitThere)(
  'what a ref or a commit on record names is read, and what nothing needs goes, in every history that chance makes',
  async () => {
    const { seed } = printedChance('content follows refs')
    for (let number = 0; number < histories; number += 1) {
      const model = `history-${number}`
      await stage.newModel(model)
      const refs = new Map(Object.entries(await stage.refs(model)))
      const first = refs.get('refs/heads/main') ?? ''
      const history: History = {
        ...{ model, refs, chance: chance(seed + number) },
        ...{ commits: new Map([[first, new Map()]]), unused: new Map() },
      }
      for (let step = 1; step <= steps; step += 1) {
        await pick(history.chance, kinds)(history, step)
        if (step % 3 === 0 || step === steps) await expectModel(history)
      }
      await gc(history, steps)
      await expectModel(history)
      await stage.world.done('repo delete', { repository: `models/acme/${model}` })
      await gc({ ...history, commits: new Map(), unused: new Map() }, steps)
    }
  },
  histories * 180_000,
)
