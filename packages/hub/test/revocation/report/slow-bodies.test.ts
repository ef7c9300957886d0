/** Clients that do not send the body of their report keep no other client out, and are cut off. */

import timers from 'node:timers/promises'
import { dial } from '@latchkey/testing/http/raw-line'
import { acme } from '@latchkey/testing/hub/acme'
import { startWorld } from '@latchkey/testing/hub/world'
import { replaceBuiltin } from '@latchkey/testing/replace-builtin'
import { expect, onTestFinished, test } from 'vitest'
import { maxInAll, maxOfOneNetwork } from '../../../src/revocation/report/report-limits.ts'
import { requestText } from '../../http/raw-answers.ts'
import { codeIn, post } from './post.ts'

/** Ends the wait of each body that is being read. */
const deadlines: (() => void)[] = []

const { setTimeout: delay } = timers

function setTimeout(...[milliseconds, value, options]: Parameters<typeof delay<unknown>>) {
  if (milliseconds !== 5000) return delay(milliseconds, value, options)
  return new Promise((resolve) => deadlines.push(() => resolve(value)))
}

const from = (address: string) => ({ headers: { 'x-forwarded-for': address } })

test('as many idle connections as reports may be under way: others report, and the idle ones end', async () => {
  onTestFinished(replaceBuiltin(timers, { setTimeout }))
  const world = await startWorld(acme, { trustedProxies: ['127.0.0.1'] })
  onTestFinished(() => world.close())
  const lines = await Promise.all(
    Array.from({ length: maxInAll }, async (_, index) => {
      const line = await dial(world.hub.url)
      const address = `192.0.2.${Math.floor(index / maxOfOneNetwork)}`
      const headers = ['Content-Type: application/json', 'Content-Length: 100']
      const more = [`X-Forwarded-For: ${address}`, 'Expect: 100-continue']
      line.say(requestText('POST /revoke HTTP/1.1', ...headers, ...more))
      await line.hears('100 Continue')
      // Every second one sends a little.
      if (index % 2 === 0) line.say('{"token"')
      return line
    }),
  )
  expect((await post(world, { token: 'a' }, from('203.0.113.1'))).status).toBe(202)
  expect(codeIn(await post(world, { token: 'a' }, from('192.0.2.0')))).toEqual([503, 'not_ready'])

  for (const end of deadlines) end()
  for (const line of lines) {
    const heard = await line.toTheEnd()
    expect(heard).toMatch(/HTTP\/1\.1 408 .*connection: close.*"code":"request_timeout"/is)
  }
  expect((await post(world, { token: 'a' }, from('192.0.2.0'))).status).toBe(202)
})
