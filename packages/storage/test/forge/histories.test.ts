/** Commits, pushes, branches, tags, pull requests, deletions and collections in any order, against a model of what must be read and what must not. */

import { isRefusal } from '@latchkey/protocol'
import { type Chance, chance, printedChance, rounds } from '@latchkey/testing/chance'
import {
  blobOf,
  commitText,
  type MadeObject,
  noObject,
  objectOf,
  treeEntry,
  treeOf,
} from '@latchkey/testing/git/packs'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { collect } from '../../src/maintenance/collect.ts'
import {
  type Answer,
  type ForgeStage,
  isGitThere,
  type Large,
  largeOf,
  openForgeStage,
  type Who,
} from './forge-stage.ts'
import { type GitProbe, gitProbe } from './git-probe.ts'

const histories = rounds(1, 30)
const steps = rounds(12, 40)
/** Hidden objects that are asked for and named, of all that there are. */
const probes = rounds(2, 12)

let stage: ForgeStage
/** Content of another repository. */
const foreign = largeOf('of another repository')
beforeAll(async () => {
  if (!isGitThere) return
  stage = await openForgeStage()
  await stage.newModel('foreign')
  ok(await stage.commitLarge('foreign', { large: foreign }))
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
  /** Commits that `dev` has had, the only ref that the account of the pipeline may read. */
  readonly ofDev: Set<string>
  readonly git: GitProbe
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

/** A ref has a commit now. */
function moved({ refs, ofDev }: History, ref: string, commit: string): void {
  refs.set(ref, commit)
  if (ref === 'refs/heads/dev') ofDev.add(commit)
}

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
  moved(history, ref, told.json.commitOid)
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
  const name = history.refs.has('refs/heads/dev') ? `b${step}` : 'dev'
  ok(await stage.api(address(history, `branch/${name}`), { body: { startingPoint } }))
  moved(history, `refs/heads/${name}`, at)
}

/** By a ref rule. */
const mayRewrite = (ref: string) => ref.startsWith('refs/heads/b')

const force: Step = async (history) => {
  const rewritable = branches(history).filter(mayRewrite)
  if (rewritable.length === 0) return
  const ref = pick(history.chance, rewritable)
  const [startingPoint, at] = someRevision(history)
  const body = { startingPoint, overwrite: true }
  ok(await stage.api(address(history, `branch/${encoded(ref)}`), { body }))
  moved(history, ref, at)
}

const tag: Step = async (history, step) => {
  const [revision, at] = someRevision(history)
  const message = history.chance.next() < 0.5 ? { message: `step ${step}` } : {}
  const body = { tag: `t${step}`, ...message }
  ok(await stage.api(address(history, `tag/${encodeURIComponent(revision)}`), { body }))
  history.refs.set(`refs/tags/t${step}`, at)
}

const pointerOf = ({ oid, bytes }: Large) =>
  blobOf(`version https://git-lfs.github.com/spec/v1\noid sha256:${oid}\nsize ${bytes.length}\n`)

interface PushedCommit {
  readonly objects: readonly MadeObject[]
  readonly commit: MadeObject
}

function commitWith(text: string, files: Files, ...parents: readonly string[]): PushedCommit {
  const note = blobOf(text)
  const pointers = [...files].map(([path, large]) => [path, pointerOf(large)] as const)
  const entries = [['note.txt', note] as const, ...pointers]
    .toSorted(([one], [other]) => (one < other ? -1 : 1))
    .map(([path, { hash }]) => treeEntry('100644', path, hash))
  const tree = treeOf(...entries)
  const commit = objectOf('commit', commitText(tree.hash, ...parents))
  return { objects: [note, ...pointers.map(([, blob]) => blob), tree, commit], commit }
}

const accepted = (said: string) => expect(said).toContain('ok REF')

/** The large files of any ref or commit that the writer may read. */
const pushCommit: Step = async (history, step) => {
  const { model, refs, commits, git } = history
  const ref = pick(history.chance, branches(history))
  const old = refs.get(ref) ?? noObject
  const [, other] = pick(history.chance, [...refs])
  const files = new Map([...(commits.get(old) ?? []), ...(commits.get(other) ?? [])])
  const isForced = mayRewrite(ref) && history.chance.next() < 0.5
  const parents = [...(isForced ? [] : [old]), ...(other === old ? [] : [other ?? old])]
  const { objects, commit } = commitWith(`${model} ${step}`, files, ...parents)
  accepted(await git.push({ ref, old, to: commit.hash }, objects, 'writer'))
  await stage.follow()
  commits.set(commit.hash, files)
  moved(history, ref, commit.hash)
}

const pushTag: Step = async (history, step) => {
  const [, at] = pick(history.chance, [...history.refs])
  const ref = `refs/tags/p${step}`
  accepted(await history.git.push({ ref, old: noObject, to: at }, [], 'writer'))
  await stage.follow()
  history.refs.set(ref, at)
}

const pushDeletion: Step = async (history) => {
  const others = branches(history).filter((ref) => ref !== 'refs/heads/main')
  if (others.length === 0) return
  const ref = pick(history.chance, others)
  const old = history.refs.get(ref) ?? noObject
  accepted(await history.git.push({ ref, old, to: noObject }, [], 'writer'))
  await stage.follow()
  history.refs.delete(ref)
  history.unused.delete(ref)
}

/** Git may keep what they brought, and nobody may see it. */
const refused: Step = async (history, step) => {
  const { model, refs, git } = history
  const ref = pick(history.chance, branches(history))
  const old = refs.get(ref) ?? noObject
  const stolen = commitWith(`stolen ${step}`, new Map([['x.bin', foreign]]), old)
  const absent = commitWith(
    `not there ${step}`,
    new Map([['x.bin', largeOf(`absent ${step}`)]]),
    old,
  )
  const rewritten = commitWith(`rewritten ${step}`, new Map())
  for (const { objects, commit } of [stolen, absent, ...(mayRewrite(ref) ? [] : [rewritten])]) {
    const said = await git.push({ ref, old, to: commit.hash }, objects, 'writer')
    expect(said).toContain('ng REF')
  }
  const own = commitWith(`of a reader ${step}`, new Map(), old)
  const byReader = await git.push({ ref, old, to: own.commit.hash }, own.objects, 'reader')
  expect(byReader).not.toContain('ok REF')
  const told = await stage.api(address(history, `commit/${encoded(ref)}`), {
    body: [
      { key: 'header', value: { summary: 'refused' } },
      { key: 'file', value: { path: 'secret.txt', content: `${model} hidden ${step}` } },
      {
        key: 'lfsFile',
        value: { path: 'x', algo: 'sha256', oid: foreign.oid, size: foreign.bytes.length },
      },
    ],
  })
  expect(told.status).toBe(400)
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
  const kept = new Set([...needed, ...[...unused.values()].flat(), foreign].map(({ oid }) => oid))
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
  pushCommit,
  pushCommit,
  pushTag,
  pushDeletion,
  refused,
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

/** Commits that the API shows to the caller. */
async function shownTo(history: History, all: readonly string[], as: Who): Promise<string[]> {
  const shown: string[] = []
  for (const commit of all) {
    const { status } = await stage.api(address(history, `tree/${commit}`), { as })
    expect([200, 403, 404]).toContain(status)
    if (status === 200) shown.push(commit)
  }
  return shown
}

const absentHash = '12'.repeat(20)

/** By git and by git-lfs a caller gets what the API shows, and nothing else. */
async function expectHidden(history: History): Promise<void> {
  const { git, refs, commits, unused, chance, ofDev } = history
  const objects = git.objects()
  const all = objects.filter(({ kind }) => kind === 'commit').map(({ hash }) => hash)
  const shown = await shownTo(history, all, 'writer')
  const visible = git.closure([...new Set([...shown, ...refs.values()])])
  const hidden = objects.filter(({ hash, kind }) => !visible.has(hash) && kind !== 'tag')
  for (let probe = 0; probe < probes && hidden.length > 0; probe += 1) {
    const { hash, kind } = pick(chance, hidden)
    const size = kind === 'blob' ? git.text(hash).length : 0
    for (const protocol of [0, 2] as const) {
      const told = await git.wants(hash, 'writer', protocol)
      expect(told).toBe(await git.wants(absentHash, 'writer', protocol))
      expect(told).toContain('not our ref')
    }
    const said = await git.named({ hash, kind }, size, 'writer')
    expect(said).toEqual(await git.named({ hash: absentHash, kind }, size, 'writer'))
    expect(said.join()).not.toContain('ok REF')
  }
  const [tip = ''] = refs.values()
  for (const as of ['ci-bot', 'stranger'] as const) {
    expect(await git.wants(tip, as, 2)).toMatch(as === 'ci-bot' ? /^403/ : /^404/)
    expect((await git.named({ hash: tip, kind: 'commit' }, 0, as)).join()).not.toContain('ok REF')
  }

  const shownToBot = await shownTo(history, [...commits.keys()], 'ci-bot')
  for (const commit of shownToBot) expect(ofDev.has(commit)).toBe(true)
  const left = [...unused.values()].flat()
  const every = [...commits.values()].flatMap((files) => [...files.values()])
  const larges = [...new Set([...every, ...left, foreign])]
  const ofBot = [...ofDev].flatMap((commit) => [...(commits.get(commit)?.values() ?? [])])
  const botMay = [...ofBot, ...(unused.get('refs/heads/dev') ?? [])].map(({ oid }) => oid)
  for (const oid of await git.downloads(larges, 'ci-bot')) expect(botMay).toContain(oid)
  expect(await git.downloads(larges, 'stranger')).toEqual(new Set())
  const ofWriter = await git.downloads(larges, 'writer')
  expect(ofWriter.has(foreign.oid)).toBe(false)
}

// conformance: Forge / Content follows refs
test.skipIf(!isGitThere)(
  'what a ref or a commit on record names is read, what nothing needs goes, and git shows what the API does, in every history that chance makes',
  async () => {
    const { seed } = printedChance('content follows refs')
    for (let number = 0; number < histories; number += 1) {
      const model = `history-${number}`
      await stage.newModel(model)
      const rule = { repository: `models/acme/${model}`, pattern: 'b*' }
      await stage.world.done('ref-rule set', { ...rule, write: 'write', allowForce: true })
      const refs = new Map(Object.entries(await stage.refs(model)))
      const first = refs.get('refs/heads/main') ?? ''
      const history: History = {
        ...{ model, refs, chance: chance(seed + number) },
        ...{ commits: new Map([[first, new Map()]]), unused: new Map(), ofDev: new Set() },
        git: await gitProbe(stage, model),
      }
      await fork(history, 0)
      await refused(history, 0)
      for (let step = 1; step <= steps; step += 1) {
        await pick(history.chance, kinds)(history, step)
        if (step % 3 === 0 || step === steps) await expectModel(history)
      }
      await gc(history, steps)
      await expectModel(history)
      await expectHidden(history)
      await stage.world.done('repo delete', { repository: `models/acme/${model}` })
      await gc({ ...history, commits: new Map(), unused: new Map() }, steps)
    }
  },
  histories * 180_000,
)
