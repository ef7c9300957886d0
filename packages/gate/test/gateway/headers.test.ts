import { expect, test } from 'vitest'
import { openGateway } from '../gateway.ts'
import { bearer, prefix } from '../tokens.ts'

test('an admitted request reaches the storage without its token and with who is let in', async () => {
  const { gateway } = await openGateway((request, response) =>
    response.end(JSON.stringify(request.headers)),
  )
  const answer = await fetch(`${gateway.url}${prefix}/v1/chunks/default/abc`, {
    headers: { authorization: bearer() },
  })
  expect(answer.status).toBe(200)
  const headers = await answer.json()
  expect(headers).not.toHaveProperty('authorization')
  expect(headers).toMatchObject({
    'latchkey-repository': 'models/acme/bert',
    'latchkey-scope': 'read',
  })
})
