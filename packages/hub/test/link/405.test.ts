import { expect, test } from 'vitest'
import { askLink, startLinked } from './ask-link.ts'

test.each([
  ['changes', 'POST', 'GET, HEAD'],
  ['epochs', 'GET', 'POST'],
  ['places', 'DELETE', 'POST'],
])('%s is not served by %s', async (what, method, allow) => {
  const { status, headers } = await askLink(await startLinked(), what, { method })
  expect([status, headers.get('allow')]).toEqual([405, allow])
})
