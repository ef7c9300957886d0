/** A port stays free between the choice and the start of the process that listens there. */

import { once } from 'node:events'
import { createServer } from 'node:net'
import { expect, test } from 'vitest'
import { freePort } from '../src/http/port.ts'

const host = '127.0.0.1'

test('no port is given out twice, and each can be listened on', async () => {
  const ports = await Promise.all(Array.from({ length: 600 }, () => freePort(host)))
  expect(new Set(ports).size).toBe(ports.length)
  for (const port of ports.slice(0, 50)) {
    const server = createServer().listen(port, host)
    await once(server, 'listening')
    server.close()
  }
})

test('where nothing can listen there is none', async () => {
  expect(await freePort('192.0.2.1')).toBeUndefined()
})
