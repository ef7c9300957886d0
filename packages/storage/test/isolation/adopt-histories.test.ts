/** Uploads, adoptions, forks, deletions and collections in any order: every ref reads exactly what a model says. */

import { isRefusal } from '@latchkey/protocol'
import { type Chance, chance, printedChance, rounds } from '@latchkey/testing/chance'
import { makeFile, makeXorb, randomChunks } from '@latchkey/testing/xet/making'
import type { FileToRegister, WrittenXorb } from '@latchkey/xet/format'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { collect } from '../../src/maintenance/collect.ts'
import type { Caller } from '../caller.ts'
import { openStage, type Stage } from '../stage.ts'
import { adoptHashes } from './adopting.ts'
import { sha256Of } from './content.ts'

const histories = rounds(1, 60)
const steps = 24

let stage: Stage
beforeAll(async () => {
  stage = await openStage()
})
afterAll(() => stage.close())

interface Content {
  readonly bytes: Buffer
  readonly xorbs: readonly (WrittenXorb & { readonly bytes: Uint8Array })[]
  readonly file: FileToRegister
}

/** Neighbours share a xorb, and half of them say their SHA-256. */
function contentsOf(history: number): readonly Content[] {
  const parts = Array.from({ length: 5 }, (_, at) => randomChunks(`${history} ${at}`, 2, 500))
  const xorbs = parts.map((chunks) => makeXorb(chunks))
  return parts.slice(1).flatMap((chunks, at) => {
    const [one, two] = [xorbs[at], xorbs[at + 1]]
    if (one === undefined || two === undefined) return []
    const bytes = Buffer.concat([...(parts[at] ?? []), ...chunks])
    const claim = at % 2 === 0 ? Buffer.from(sha256Of(bytes), 'hex') : undefined
    return { bytes, xorbs: [one, two], file: makeFile([{ xorb: one }, { xorb: two }], claim) }
  })
}

/** A branch of the model: what was written to it, each with the step in which it was first. */
interface Branch {
  readonly own: Map<Content, number>
  /** Where it was made from, and in which step. */
  readonly from: { readonly branch: Branch; readonly step: number } | undefined
  isDeleted: boolean
}

function visibleIn({ own, from }: Branch): ReadonlySet<Content> {
  const inherited = from === undefined || from.branch.isDeleted ? [] : [...from.branch.own]
  const before = inherited.filter(([, step]) => step < (from?.step ?? 0))
  return new Set([...own.keys(), ...before.map(([content]) => content)])
}

interface History {
  readonly repository: string
  readonly contents: readonly Content[]
  readonly branches: Map<string, Branch>
  readonly chance: Chance
}

const pick = <Item>({ next }: Chance, items: readonly Item[]): Item => {
  const item = items[Math.floor(next() * items.length)]
  if (item === undefined) throw new Error('there is nothing to choose from')
  return item
}

type Step = (history: History, step: number) => Promise<void>

const write = ({ repository }: History, name: string): Promise<Caller> =>
  stage.caller(`write ${repository}@${name}`)

const upload: Step = async (history, step) => {
  const [name, branch] = pick(history.chance, [...history.branches])
  const content = pick(history.chance, history.contents)
  const writer = await write(history, name)
  for (const xorb of content.xorbs) expect((await writer.upload(xorb)).status).toBe(200)
  const told = await writer.register([content.file])
  expect(told.json).toEqual({ result: Number(!branch.own.has(content)) })
  if (!branch.own.has(content)) branch.own.set(content, step)
}

const adopt: Step = async (history, step) => {
  const [[to, target], [from, source]] = [
    pick(history.chance, [...history.branches]),
    pick(history.chance, [...history.branches]),
  ]
  const wanted = history.contents.filter(() => history.chance.next() < 0.4)
  if (wanted.length === 0) return
  const reader = await stage.caller(`read ${history.repository}@${from}`)
  const hashes = wanted.map(({ file }) => file.hash)
  const told = await adoptHashes(await write(history, to), hashes, [reader.token])
  const seen = visibleIn(target).union(visibleIn(source))
  const hidden = wanted.find((content) => !seen.has(content))
  if (hidden !== undefined) {
    expect([told.status, told.json['detail']]).toEqual([
      404,
      expect.stringContaining(hidden.file.hash),
    ])
    return
  }
  const fresh = wanted.filter((content) => !target.own.has(content))
  expect(told.json).toEqual({ result: Number(fresh.length > 0) })
  for (const content of fresh) target.own.set(content, step)
}

const fork: Step = async ({ repository, branches, chance }, step) => {
  const origins = [...branches].filter(([, branch]) => branch.from === undefined)
  const isFork = origins.length > 0 && chance.next() < 0.7
  const [origin, branch] = isFork ? pick(chance, origins) : []
  const name = `b${step}`
  await stage.newBranch(repository, name, origin)
  const from = branch && { branch, step }
  branches.set(name, { own: new Map(), from, isDeleted: false })
}

const remove: Step = async ({ repository, branches, chance }) => {
  if (branches.size < 2) return
  const [name, branch] = pick(chance, [...branches])
  await stage.world.done('ref delete', { repository, ref: name })
  branch.isDeleted = true
  branches.delete(name)
}

/** Afterwards the disk has what a ref has, and nothing else. */
const gc: Step = async ({ branches }) => {
  stage.world.passSeconds(25 * 3600)
  const collected = await collect(stage.maintenance, { now: stage.world.now(), isDryRun: false })
  expect(isRefusal(collected)).toBe(false)
  const kept = [...branches.values()].flatMap(({ own }) => [...own.keys()])
  const xorbs = new Set(kept.flatMap(({ xorbs }) => xorbs.map(({ hash }) => hash)))
  expect(stage.objects()).toHaveLength(xorbs.size)
}

const kinds: readonly Step[] = [upload, upload, adopt, adopt, adopt, fork, remove, gc]

async function expectModel({ repository, contents, branches, chance }: History): Promise<void> {
  for (const [name, branch] of branches) {
    const reader = await stage.caller(`read ${repository}@${name}`)
    const seen = visibleIn(branch)
    const told = await Promise.all(
      contents.map(({ file }) => reader.ask(`HEAD /v1/files/${file.hash}`)),
    )
    const expected = contents.map((content) => (seen.has(content) ? 200 : 404))
    expect(told.map(({ status }) => status)).toEqual(expected)
    const content = pick(chance, contents)
    const { bytes, file } = content
    const size = bytes.length
    const found = await reader.ask(`GET /v1/files/by-sha256/${sha256Of(bytes)}?size=${size}`)
    expect(found.status).toBe(seen.has(content) ? 200 : 404)
    if (seen.has(content)) expect(await reader.download(file.hash)).toEqual(bytes)
  }
}

// conformance: Embedded storage / A ref copies readable content from other refs completely or not at all
test(
  'every ref reads exactly what the model says, in every history that chance makes',
  async () => {
    const { seed } = printedChance('adopting')
    for (let number = 0; number < histories; number += 1) {
      const repository = await stage.newRepository()
      const main: Branch = { own: new Map(), from: undefined, isDeleted: false }
      const history: History = {
        ...{ repository, contents: contentsOf(number), chance: chance(seed + number) },
        branches: new Map([['main', main]]),
      }
      for (let step = 1; step <= steps; step += 1) {
        await pick(history.chance, kinds)(history, step)
        await expectModel(history)
      }
      await stage.world.done('repo delete', { repository })
    }
  },
  histories * 120_000,
)
