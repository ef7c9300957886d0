import { expect, test } from 'vitest'
import { askLink, everyQuestion, startLinked } from './ask-link.ts'

test('no other kind of hub token asks through the link, not even an administrator’s', async () => {
  const world = await startLinked()
  for (const as of ['root/admin', 'cas/write', 'cas/nothing', 'ada/write', 'ada/read']) {
    for (const [what, asked] of everyQuestion) {
      const { status, json } = await askLink(world, what, { ...asked, as })
      expect([as, what, status, json['code']]).toEqual([as, what, 403, 'permission_denied'])
      expect(json['missing']).toBe('a hub token of kind storage')
    }
  }
})

test('a hub token of another kind is refused before its body is read', async () => {
  const world = await startLinked()
  const { status } = await askLink(world, 'epochs', { as: 'ada/write', body: '{' })
  expect(status).toBe(403)
})
