import { expect, test } from 'vitest'
import { askLink, bert, headOf, startLinked } from './ask-link.ts'

async function expectUnknown(world: Awaited<ReturnType<typeof startLinked>>, query: string) {
  const number = await headOf(world)
  const { status, json } = await askLink(world, `changes?${query}`)
  expect([query, status]).toEqual([query, 410])
  expect(json).toMatchObject({ code: 'cursor_unknown', path: 'after', number })
}

test('a number that is not in the journal is unknown, with the last number beside it', async () => {
  const world = await startLinked()
  world.passSeconds(10)
  await world.done('ref delete', { repository: bert, ref: 'dev' })
  const head = await headOf(world)
  for (const number of [1, head - 5000, head + 1000, head * 2])
    await expectUnknown(world, `after=${number}`)
})

test('an unknown number is told at once, also to a question that would wait', async () => {
  const world = await startLinked()
  await expectUnknown(world, `after=${(await headOf(world)) + 1}&wait=60`)
})

test('a number below what retention has removed is unknown', async () => {
  const world = await startLinked()
  const before = await headOf(world)
  await world.done('ref delete', { repository: bert, ref: 'dev' })
  const pruned = await headOf(world)
  await world.done('ref delete', { repository: bert, ref: 'refs/tags/v1' })
  await world.store.directory.note('journal retention', async ({ tables }) => {
    await tables.deleteFrom('journal').where('number', '<=', pruned).execute()
    await tables.updateTable('journal_head').set({ pruned_through: pruned }).execute()
  })
  await expectUnknown(world, `after=${before}`)
})
