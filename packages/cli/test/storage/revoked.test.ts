/** With hub and storage as processes: what an operator takes back ends at the storage within the stated bound. */

import { connect } from 'node:net'
import { expect, it } from 'vitest'
import type { Held } from '../restore/storage-calls.ts'
import { openRunningStorage, processesOf } from './running-storage.ts'

/** An upload that has begun and does not go on; gives all that is heard until its end. */
function hangingUpload({ accessToken, casUrl }: Held): Promise<string> {
  const { hostname, port, host, pathname } = new URL(casUrl)
  const socket = connect(Number(port), hostname)
  socket.write(
    `POST ${pathname}/v1/shards HTTP/1.1\r\nHost: ${host}\r\nAuthorization: Bearer ${accessToken}\r\nContent-Length: 1000\r\n\r\nhalf`,
  )
  let heard = ''
  socket.on('data', (data) => {
    heard += data
    socket.end()
  })
  return new Promise((resolve, reject) => {
    socket.on('error', reject)
    socket.on('close', () => resolve(heard))
  })
}

async function openRequests(hubUrl: string): Promise<number> {
  const metrics = await (await fetch(`${hubUrl}/metrics`)).text()
  return Number(/^latchkey_storage_open_requests (\d+)/m.exec(metrics)?.[1])
}

it('a disabled account: its token, its URLs and its running upload, and its new token works at once', async () => {
  const { hubUrl, run, held, put, look, openBlob } = await openRunningStorage({}, processesOf)
  const token = await held()
  expect(await put(token)).toBe(200)
  const blob = await openBlob(token)
  expect([await look(token), await blob()]).toEqual([200, 206])
  const upload = hangingUpload(token)
  await expect.poll(() => openRequests(hubUrl)).toBe(1)
  await run('account', 'set', 'ada', '--disabled')
  await expect
    .poll(async () => [await look(token), await blob()], { timeout: 60_000 })
    .toEqual([401, 403])
  expect(await upload).toMatch(/^HTTP\/1\.1 401 .*"code":"storage_token_invalid"/s)
  expect(await put(token)).toBe(401)
  const metrics = await (await fetch(`${hubUrl}/metrics`)).text()
  expect(metrics).toMatch(/^latchkey_storage_revocation_entries [1-9]/m)
  await run('account', 'set', 'ada', '--no-disabled')
  const again = await held()
  expect([await look(again), await look(token)]).toEqual([200, 401])
  expect(await (await openBlob(again))()).toBe(206)
})
