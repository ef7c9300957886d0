import { unixSeconds } from '@latchkey/protocol'
import { openGateway } from '@latchkey/testing/gate/gateway'
import { bearer, prefix, startOfTime } from '@latchkey/testing/gate/storage-tokens'
import { expect, test } from 'vitest'

const over = { iat: unixSeconds(startOfTime - 900), exp: unixSeconds(startOfTime - 60) }

test('the log tells the operator why a token was refused; all clients are told is what to do', async () => {
  const { gateway, logLines } = await openGateway((_request, response) => response.end())
  const ask = (authorization: string) =>
    fetch(`${gateway.url}${prefix}/v1/chunks/default/abc`, { headers: { authorization } })
  for (const [authorization, reason] of [
    [bearer({ aud: 'https://cas.example' }), 'wrong_audience'],
    [bearer({ iss: 'https://hub.example/' }), 'wrong_issuer'],
    [bearer(over), 'expired'],
    ['Bearer nonsense', 'malformed'],
  ] as const) {
    const isSigned = reason !== 'malformed'
    const answer = await ask(authorization)
    expect(await answer.json()).not.toHaveProperty('reason')
    expect(JSON.parse(logLines.at(-1) ?? '')).toMatchObject({
      ...{ event: 'request_refused', reason, address: '127.0.0.1' },
      // The operator finds the token that was used too late or elsewhere.
      ...(isSigned && { token: expect.stringMatching(/^.{4,}/) }),
    })
  }
})

test('the log tells the operator why the storage could not be reached', async () => {
  const { gateway, logLines } = await openGateway('http://127.0.0.1:1')
  const headers = { authorization: bearer() }
  const answer = await fetch(`${gateway.url}${prefix}/v1/chunks/default/abc`, { headers })
  expect([answer.status, await answer.text()]).toEqual([502, expect.not.stringContaining('ECONN')])
  expect(logLines.at(-1)).toContain('"reason":"connect ECONNREFUSED 127.0.0.1:1"')
})

test('the log of a start says which tokens are accepted', async () => {
  const { logLines } = await openGateway('http://127.0.0.1:1')
  expect(JSON.parse(logLines[0] ?? '')).toMatchObject({
    event: 'gate_started',
    issuer: 'https://hub.example',
    casUrl: 'https://cas.example/r/{repo}/{ref}',
  })
})
