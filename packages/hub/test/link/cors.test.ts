import { expect, test } from 'vitest'
import { askLink, startLinked } from './ask-link.ts'

test('no browser may read the link, whatever origins are allowed', async () => {
  const origin = 'https://app.example'
  const world = await startLinked({ cors: { origins: [origin] } })
  const preflight = { origin, 'access-control-request-method': 'GET' }
  const answers = [
    await askLink(world, 'changes', { headers: { origin } }),
    await askLink(world, 'changes', { as: undefined, headers: { origin } }),
    await askLink(world, 'none', { headers: { origin } }),
    await askLink(world, 'changes', { method: 'OPTIONS', as: undefined, headers: preflight }),
  ]
  expect(answers.map(({ status }) => status)).toEqual([200, 401, 404, 204])
  for (const { headers } of answers) {
    for (const [name] of headers) expect(name).not.toMatch(/^access-control-/)
  }
})
