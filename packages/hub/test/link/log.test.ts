import { ask } from '@latchkey/testing/hub/ask'
import { withBrokenDatabase } from '@latchkey/testing/hub/statements'
import { expect, test } from 'vitest'
import { askLink, bert, startLinked, uidOf } from './ask-link.ts'

test('every question is one line and one count: which storage, what, and how it ended', async () => {
  const world = await startLinked()
  await askLink(world, 'epochs', { body: { repositories: [await uidOf(world)] } })
  await askLink(world, 'changes', { as: world.hub.embedded.credential })
  await askLink(world, 'changes', { as: 'ada/write' })
  await askLink(world, 'places', { as: undefined, body: { uids: [] } })
  await withBrokenDatabase('disk I/O error', () => askLink(world, 'changes'))
  const lines = world.logLines
    .map((line) => JSON.parse(line))
    .filter(({ event }) => event === 'link_called')
  const ended = { requestId: expect.any(String), milliseconds: expect.any(Number) }
  expect(lines).toMatchObject([
    { route: 'epochs', account: 'cas', outcome: 'done', ...ended },
    { route: 'changes', hubToken: 'embedded', outcome: 'done', ...ended },
    { route: 'changes', account: 'ada', outcome: 'refused', code: 'permission_denied', ...ended },
    { route: 'places', outcome: 'refused', code: 'hub_token_missing', ...ended },
    { route: 'changes', outcome: 'failed', code: 'internal_error', ...ended },
  ])
  const { text } = await ask(world, '/metrics')
  for (const line of [
    'latchkey_link_calls_total{route="epochs",outcome="done"} 1',
    'latchkey_link_calls_total{route="changes",outcome="done"} 1',
    'latchkey_link_calls_total{route="changes",outcome="permission_denied"} 1',
    'latchkey_link_calls_total{route="places",outcome="hub_token_missing"} 1',
  ]) {
    expect(text).toContain(line)
  }
})

test('no answer has a name in it', async () => {
  const world = await startLinked()
  const { json: head } = await askLink(world, 'changes')
  const uid = await uidOf(world)
  await world.done('ref delete', { repository: bert, ref: 'dev' })
  await world.done('repo delete', { repository: 'models/acme/open' })
  const answers = [
    await askLink(world, `changes?after=${head['number']}`),
    await askLink(world, 'changes?after=1'),
    await askLink(world, 'epochs', { body: { repositories: [uid] } }),
    await askLink(world, 'places', { body: { uids: [uid, 'x'] } }),
  ]
  for (const { json } of answers) expect(JSON.stringify(json)).not.toMatch(/acme|bert|dev|main/)
})
