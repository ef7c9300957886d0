/** What an operator learns of an overload, and who does not wait in it. */

import type { IncomingMessage, ServerResponse } from 'node:http'
import { type AccountId, Secret } from '@latchkey/protocol'
import { headerPairs } from '@latchkey/service/http/headers'
import { pooledRandom } from '@latchkey/service/machine/random'
import { movedStopwatch } from '@latchkey/testing/moved-stopwatch'
import { expect, test } from 'vitest'
import { hubCors } from '../../src/http/cors.ts'
import { embeddedCredential } from '../../src/identity/embedded-credential.ts'
import { hashHubToken } from '../../src/identity/hub-token.ts'
import { knownAccounts } from '../../src/issue/known-accounts.ts'
import { requestLimits } from '../../src/issue/request-limits.ts'
import { createMetrics } from '../../src/operations/metrics.ts'
import type { HubContext } from '../../src/start/hub-context.ts'
import { overloadQueue } from '../../src/start/overload-queue.ts'

const origin = 'https://pages.example'

const tokenOf = (letter: string) => `lk_${letter.repeat(49)}`
const hashOf = (token: string) => hashHubToken(new Secret('hub-token', token))
const ada = 'ada' as AccountId
const embedded = embeddedCredential(new Secret('hub-token', tokenOf('e')))
const embeddedForge = embeddedCredential(new Secret('hub-token', tokenOf('f')))

function openQueue({ huggingface = false } = {}) {
  const lines: unknown[] = []
  const stopwatch = movedStopwatch()
  const metrics = createMetrics()
  const context = {
    ...{ metrics, randomBytes: pooledRandom(), forgetVersion() {}, embedded, embeddedForge },
    log: (event: string, fields: object) => lines.push({ event, ...fields }),
    stopwatch: stopwatch.now,
    settings: { compat: { huggingface }, trustedProxies: [] } as Partial<
      HubContext['settings']
    > as HubContext['settings'],
  }
  const limits = requestLimits({ requestsPerMinute: 0, failuresPerMinute: 2 }, stopwatch.now)
  const issuing = { limits, accounts: knownAccounts() }
  const queue = overloadQueue(context, hubCors([origin], huggingface), issuing)
  const refuse = () => {
    const sent: { status?: number; headers?: readonly string[] } = {}
    const request = { headers: { origin } } as IncomingMessage
    const response = {
      writeHead: (status: number, headers: readonly string[]) =>
        Object.assign(sent, { status, headers }),
      end() {},
    }
    queue.refuse(request, response as unknown as ServerResponse)
    return [sent.status, ...headerPairs(sent.headers ?? []).map((pair) => pair.join(': '))]
  }
  return { lines, metrics, queue, refuse, pass: stopwatch.pass, ...issuing }
}

test('a refusal is 503, says when to come again, and can be read by the pages that may read answers', () => {
  expect(openQueue().refuse()).toEqual(
    expect.arrayContaining([
      503,
      'Retry-After: 1',
      `Access-Control-Allow-Origin: ${origin}`,
      'Content-Type: application/problem+json',
    ]),
  )
  expect(openQueue({ huggingface: true }).refuse()).toContain('Content-Type: application/json')
})

test('every refusal is counted, and the log has a line at most every ten seconds', async () => {
  const { lines, metrics, refuse, pass } = openQueue()
  for (let left = 5; left > 0; left -= 1) refuse()
  pass(9)
  refuse()
  expect(lines).toEqual([{ event: 'overloaded', refused: 1 }])
  pass(1)
  refuse()
  expect(lines.slice(1)).toEqual([{ event: 'overloaded', refused: 6 }])
  expect(await metrics.text()).toContain('\nlatchkey_requests_overloaded_total 7\n')
})

test('the metrics say how many requests wait', async () => {
  const { metrics } = openQueue()
  metrics.countWaiting(() => 42)
  expect(await metrics.text()).toContain('\nlatchkey_requests_waiting 42\n')
})

test.each([
  ['/.well-known/jwks.json', true],
  ['/.well-known/storage-revocations', true],
  ['/link/v1/changes?after=1', false],
  ['/api/models/acme/bert/storage-read-token/main', false],
  ['/admin/v1/accounts', false],
  ['/', false],
])('whether %s goes before requests that wait: %s', (url, isFirst) => {
  const request = { url, rawHeaders: [] as string[] } as IncomingMessage
  expect(openQueue().queue.goesFirst(request)).toBe(isFirst)
})

test('the link goes first for the credential of a storage alone, which is a flow of its own and never limited', () => {
  const { queue, limits, accounts } = openQueue()
  const [unknown, user, storage] = ['u', 'a', 's'].map(tokenOf) as [string, string, string]
  accounts.learn(hashOf(user), { accountId: ada, kind: 'write' })
  accounts.learn(hashOf(storage), { accountId: ada, kind: 'storage' })
  limits.forFailure('192.0.2.1')
  limits.forFailure('192.0.2.1')
  const judge = (token: string, url = '/link/v1/changes?after=1') => {
    const request = {
      ...{ url, rawHeaders: ['Authorization', `Bearer ${token}`], headers: {} },
      socket: { remoteAddress: '192.0.2.1' },
    } as unknown as IncomingMessage
    return [queue.goesFirst(request), queue.isLimited?.(request), queue.accountOf?.(request)]
  }
  expect(judge(embedded.credential.reveal())).toEqual([true, false, hashOf(tokenOf('e'))])
  expect(judge(storage)).toEqual([true, false, hashOf(storage)])
  expect(judge(storage, '/api/whoami')).toEqual([false, false, ada])
  expect(judge(user)).toEqual([false, false, ada])
  expect(judge(unknown)).toEqual([false, true, undefined])
  accounts.forget(hashOf(storage))
  expect(judge(storage)).toEqual([false, true, undefined])
})

test('where an address has failed too often, hub tokens that are not known come after the requests of others', () => {
  const { queue, limits, accounts } = openQueue()
  const token = tokenOf('a')
  const requestOf = (remoteAddress: string, ...rawHeaders: string[]) =>
    ({ rawHeaders, headers: {}, socket: { remoteAddress } }) as unknown as IncomingMessage
  const bearer = ['Authorization', `Bearer ${token}`]
  const requests = [requestOf('192.0.2.1'), requestOf('192.0.2.1', ...bearer)]
  expect(requests.map((request) => queue.isLimited?.(request))).toEqual([false, false])
  limits.forFailure('192.0.2.1')
  limits.forFailure('192.0.2.1')
  expect(requests.map((request) => queue.isLimited?.(request))).toEqual([true, true])
  expect(queue.isLimited?.(requestOf('192.0.2.2'))).toBe(false)
  accounts.learn(hashOf(token), { accountId: ada, kind: 'write' })
  expect(requests.map((request) => queue.isLimited?.(request))).toEqual([true, false])
  expect(requests.map((request) => queue.accountOf?.(request))).toEqual([undefined, ada])
})
