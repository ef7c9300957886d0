import { expect, test } from 'vitest'
import { askLink, startLinked } from './ask-link.ts'

test('a question that is not as described is refused with the path of the mistake', async () => {
  const world = await startLinked()
  for (const [query, path] of [
    ['after=-1', 'after'],
    ['after=1e3', 'after'],
    ['after=', 'after'],
    ['after=2027-01-01', 'after'],
    ['after=1234567890123456', 'after'],
    ['after=1&after=2', 'after'],
    ['wait=61', 'wait'],
    ['wait=-1', 'wait'],
    ['wait=soon', 'wait'],
    ['limit=1', 'limit'],
  ]) {
    const { status, json } = await askLink(world, `changes?${query}`)
    expect([query, status, json['code'], json['path']]).toEqual([query, 400, 'bad_request', path])
  }
})

test('a body that is not as described is refused with the path of the mistake', async () => {
  const world = await startLinked()
  const tooMany = Array.from({ length: 1001 }, (_, index) => `u${index}`)
  for (const [what, body, path] of [
    ['epochs', {}, 'repositories'],
    ['epochs', { repositories: 'all' }, 'repositories'],
    ['epochs', { repositories: tooMany }, 'repositories'],
    ['epochs', { repositories: [1] }, 'repositories[0]'],
    ['epochs', { repositories: [''] }, 'repositories[0]'],
    ['epochs', { repositories: [], all: true }, 'all'],
    ['places', { uids: tooMany }, 'uids'],
    ['places', { uids: ['x'.repeat(65)] }, 'uids[0]'],
    ['places', '[]', undefined],
    ['places', '{', undefined],
  ] as const) {
    const { status, json } = await askLink(world, what, { body })
    expect([what, status, json['code'], json['path']]).toEqual([what, 400, 'bad_request', path])
  }
})
