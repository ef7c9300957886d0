/** Whatever happens in whatever order, a view holds exactly what came before its moment. */

import { isRefusal } from '@latchkey/protocol'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { bert, type CatalogWorld, commit, openWorld, other } from './catalog-world.ts'
import { addFile, hash } from './content.ts'
import { onPostgres } from './test-catalog.ts'
import { expectTrueTotals } from './totals.ts'

/** What a ref or commit holds besides its own: another ref's content up to a step. */
interface Line {
  readonly repository: string
  readonly from: { readonly line: Line; readonly until: number } | undefined
  readonly written: { readonly word: string; readonly step: number }[]
  isGone: boolean
}

type Step =
  | { readonly does: 'write'; readonly on: number; readonly word: number }
  | { readonly does: 'commit' | 'fork' | 'delete'; readonly on: number }
  | { readonly does: 'pass'; readonly seconds: number }

const words = ['a', 'b', 'c', 'd']
const on = fc.nat(7)
const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 6, arbitrary: fc.record({ does: fc.constant('write'), on, word: fc.nat(3) }) },
  { weight: 3, arbitrary: fc.record({ does: fc.constantFrom('commit', 'fork'), on }) },
  { weight: 1, arbitrary: fc.record({ does: fc.constant('delete'), on }) },
  { weight: 3, arbitrary: fc.record({ does: fc.constant('pass'), seconds: fc.nat(2) }) },
) as fc.Arbitrary<Step>

/** Nearest first, never later than the earliest moment on the way; a line ends where a ref is gone. */
function holds(line: Line): ReadonlySet<string> {
  const all = new Set(line.written.map(({ word }) => word))
  let limit = Number.POSITIVE_INFINITY
  for (let from = line.from; from !== undefined && !from.line.isGone; from = from.line.from) {
    limit = Math.min(limit, from.until)
    const { written } = from.line
    for (const { word, step } of written) if (step <= limit) all.add(word)
  }
  return all
}

async function play(steps: readonly Step[], world: CatalogWorld): Promise<Map<string, Line>> {
  const lines = new Map<string, Line>()
  const newLine = (repository: string, from?: Line['from']): Line => ({
    repository,
    from,
    written: [],
    isGone: false,
  })
  const branches = [bert, other].map((repository) => `${repository}@main`)
  for (const name of branches) lines.set(name, newLine(name.slice(0, -'@main'.length)))

  for (const [now, step] of steps.entries()) {
    if (step.does === 'pass') {
      world.passSeconds(step.seconds)
      continue
    }
    const name = branches[step.on % branches.length] ?? ''
    const line = lines.get(name)
    if (line === undefined) continue
    const { repository } = line
    const ref = name.slice(repository.length + 1)
    switch (step.does) {
      case 'write': {
        const word = words[step.word] ?? ''
        const added = await addFile(world.catalog, await world.place(repository, ref), word)
        expect(isRefusal(added)).toBe(false)
        if (!line.written.some((earlier) => earlier.word === word)) {
          line.written.push({ word, step: now })
        }
        break
      }
      case 'commit': {
        const hash = commit(1000 + now)
        await world.done('commit record', { repository, hash, on: [ref] })
        lines.set(`${repository}@${hash}`, newLine(repository, { line, until: now }))
        break
      }
      case 'fork': {
        await world.done('ref set', { repository, ref: `fork-${now}`, from: ref })
        lines.set(`${repository}@fork-${now}`, newLine(repository, { line, until: now }))
        branches.push(`${repository}@fork-${now}`)
        break
      }
      case 'delete': {
        if (ref === 'main') continue
        await world.done('ref delete', { repository, ref })
        line.isGone = true
        lines.delete(name)
        branches.splice(branches.indexOf(name), 1)
      }
    }
  }
  return lines
}

async function finds(world: CatalogWorld, repository: string, revision: string) {
  const view = await world.view(repository, revision)
  const found = new Set<string>()
  for (const word of words) {
    const file = await world.catalog.findFile(view, hash(word))
    const xorb = await world.catalog.findXorb(view, hash(word))
    const chunk = await world.catalog.findChunk(view, hash(`chunk of ${word}`))
    const begun = await world.catalog.findFileFrom(view, hash(`chunk of ${word}`))
    const kinds = new Set([file, xorb, chunk, begun].map((thing) => thing?.refUid))
    expect(kinds.size, `${word} is found whole or not at all`).toBe(1)
    if (file === undefined) continue
    found.add(word)
    expect((await world.catalog.xorbsOf(file, file.terms.xorbs())).size).toBe(1)
  }
  return found
}

test('random histories of writes, commits, forks and deletions agree with a model', async () => {
  const runs = process.env['LATCHKEY_SOAK'] === undefined ? (onPostgres ? 8 : 25) : 1000
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 5, maxLength: 40 }), async (steps) => {
      const world = await openWorld()
      for (const [name, line] of await play(steps, world)) {
        const revision = name.slice(line.repository.length + 1)
        expect(await finds(world, line.repository, revision), name).toEqual(holds(line))
      }
      await expectTrueTotals(world)
      await world.close()
    }),
    { numRuns: runs },
  )
}, 600_000)
