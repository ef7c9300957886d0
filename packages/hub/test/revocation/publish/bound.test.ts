/** The list stays below what a gate takes, whatever is taken back. */

import { journalNumber } from '@latchkey/protocol'
import { forEver } from '@latchkey/token'
import { expect, test } from 'vitest'
import { chunked } from '../../../src/tables/columns.ts'
import { askAll, openHolding } from './held-tokens.ts'

test('more than 50 000 cut-offs become one that ends every token, beside those of keys', async () => {
  const holding = await openHolding()
  const before = await askAll(holding)
  const { number } = await holding.store.access.version()
  const rows = Array.from({ length: 50_000 }, (_, index) => ({
    kind: 'token' as const,
    id: String(index),
    number: forEver,
    made: number,
  }))
  await holding.store.directory.note('cut-off retention', async ({ tables }) => {
    for (const some of chunked(rows)) await tables.insertInto('cut_offs').values(some).execute()
  })
  await holding.done('keys rotate', { compromised: true })
  await holding.done('revoke ref', { repository: 'models/acme/bert', ref: 'dev' })
  const left = await holding.store.readBeside((tables) =>
    tables.selectFrom('cut_offs').select(['kind', 'number']).orderBy('kind').execute(),
  )
  expect(left).toMatchObject([{ kind: 'all' }, { kind: 'key', number: forEver }])
  expect(journalNumber(left[0]?.number ?? 0)).toBeGreaterThan(number)
  expect(await holding.dead(before)).toEqual([...before.keys()])
  expect(await holding.dead(await askAll(holding))).toEqual([])
})
