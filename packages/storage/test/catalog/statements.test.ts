/** Hidden and absent cost the same: one statement, found by its key, whatever others have. */

import { statementsDuring } from '@latchkey/testing/hub/statements'
import { expect, test } from 'vitest'
import type { Catalog, View } from '../../src/catalog/catalog.ts'
import type { Sha256 } from '../../src/catalog/sha256.ts'
import { bert, openWorld } from './catalog-world.ts'
import { addFile, hash } from './content.ts'

const sha256 = (word: string): Sha256 => hash(word) as string as Sha256

const questions: Record<string, (catalog: Catalog, view: View, word: string) => Promise<unknown>> =
  {
    findXorb: (catalog, view, word) => catalog.findXorb(view, hash(word)),
    findXorbs: (catalog, view, word) => catalog.findXorbs(view, [hash(word), hash('absent')]),
    findFile: (catalog, view, word) => catalog.findFile(view, hash(word)),
    findChunk: (catalog, view, word) => catalog.findChunk(view, hash(`chunk of ${word}`)),
    findSha256: (catalog, view, word) => catalog.findSha256(view, sha256(word), 150),
    findSha256s: (catalog, view, word) => catalog.findSha256s(view, [hash(word), hash('absent')]),
    findUnhashed: (catalog, view) => catalog.findUnhashed(view, 150, 2),
    findFileFrom: (catalog, view, word) => catalog.findFileFrom(view, hash(`chunk of ${word}`)),
  }

test.each(Object.entries(questions))('%s asks once, and the same', async (_, ask) => {
  const { catalog, place, done, view, rows } = await openWorld()
  await done('ref set', { repository: bert, ref: 'dev', from: 'main' })
  await addFile(catalog, await place(bert, 'main'), 'hidden')
  await addFile(catalog, await place(bert, 'dev'), 'own')
  const seen = await view(bert, 'dev')
  for (const view of [seen, { ...seen, refs: undefined }]) {
    const asked: string[] = []
    for (const word of ['own', 'hidden', 'absent']) {
      asked.push(...(await statementsDuring(() => ask(catalog, view, word))))
    }
    const [first = ''] = asked
    expect(asked).toEqual([first, first, first])
    const plan = await rows(`EXPLAIN QUERY PLAN ${first}`)
    const steps = plan.map(({ detail }) => String(detail))
    const scans = steps.filter((step) => step.startsWith('SCAN'))
    expect(scans.filter((step) => !/^SCAN (?:seen|wanted) VIRTUAL TABLE/.test(step))).toEqual([])
    expect(steps).not.toEqual([])
  }
})
