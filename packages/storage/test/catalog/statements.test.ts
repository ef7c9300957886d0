/** Hidden and absent cost the same: one statement, found by its key, whatever others have. */

import { DatabaseSync } from 'node:sqlite'
import type { Tables } from '@latchkey/hub'
import { type CompiledQuery, Kysely } from 'kysely'
import { expect, onTestFinished, test } from 'vitest'
import { nodeSqliteDialect } from '../../../hub/src/stores/sqlite/kysely-dialect.ts'
import type { Catalog, View } from '../../src/catalog/catalog.ts'
import { sqliteCatalog } from '../../src/catalog/sqlite-catalog.ts'
import { bert, type CatalogWorld, openWorld } from './catalog-world.ts'
import { addFile, hash, nothing } from './content.ts'

const questions: Record<string, (catalog: Catalog, view: View, word: string) => Promise<unknown>> =
  {
    findXorb: (catalog, view, word) => catalog.findXorb(view, hash(word)),
    findXorbs: (catalog, view, word) => catalog.findXorbs(view, [hash(word), hash('absent')]),
    findFile: (catalog, view, word) => catalog.findFile(view, hash(word)),
    findChunk: (catalog, view, word) => catalog.findChunk(view, hash(`chunk of ${word}`)),
  }

/** A catalog on a connection that writes down what it is asked. */
function watched({ store, rows, now }: CatalogWorld) {
  const asked: CompiledQuery[] = []
  const file = String(rows('PRAGMA database_list')[0]?.['file'])
  const database = new DatabaseSync(file, { readOnly: true })
  onTestFinished(() => database.close())
  const dialect = nodeSqliteDialect(database)
  const tables: Tables = new Kysely({ dialect, log: ({ query }) => void asked.push(query) })
  const { directory } = store
  const options = { directory, clock: now, quota: {}, waitUntil: nothing }
  const plan = ({ sql, parameters }: CompiledQuery) =>
    database
      .prepare(`EXPLAIN QUERY PLAN ${sql}`)
      .all(...(parameters as string[]))
      .map(({ detail }) => String(detail))
  return { asked, plan, catalog: sqliteCatalog({ ...options, readBeside: (work) => work(tables) }) }
}

test.each(Object.entries(questions))('%s asks once, and the same', async (_, ask) => {
  const world = await openWorld()
  const { place, done, view } = world
  await done('ref create', { repository: bert, ref: 'dev', from: 'main' })
  await addFile(world.catalog, await place(bert, 'main'), 'hidden')
  await addFile(world.catalog, await place(bert, 'dev'), 'own')
  const { asked, plan, catalog } = watched(world)
  const seen = await view(bert, 'dev')
  for (const view of [seen, { ...seen, refs: undefined }]) {
    asked.length = 0
    for (const word of ['own', 'hidden', 'absent']) await ask(catalog, view, word)
    const [first] = asked
    if (first === undefined) throw new Error('nothing was asked')
    expect(asked.map(({ sql }) => sql)).toEqual([first.sql, first.sql, first.sql])
    const scans = plan(first).filter((step) => step.startsWith('SCAN'))
    expect(scans.filter((step) => !/^SCAN (?:seen|wanted) VIRTUAL TABLE/.test(step))).toEqual([])
  }
})
