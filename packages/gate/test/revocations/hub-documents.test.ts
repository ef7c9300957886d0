/** Heads, keys and lists come from the hub alone, within bounds of bytes and time. */

import type { IncomingMessage, ServerResponse } from 'node:http'
import { pipeline, Readable } from 'node:stream'
import { serving } from '@latchkey/testing/gate/gateway'
import { publishedRevocations } from '@latchkey/testing/gate/published-revocations'
import { issuer, movedClock } from '@latchkey/testing/gate/storage-tokens'
import { describe, expect, test } from 'vitest'
import { hubDocuments } from '../../src/revocations/head-keys.ts'
import { hubRevocations } from '../../src/revocations/hub-revocations.ts'

type Interfere = (request: IncomingMessage, response: ServerResponse, answer: () => void) => unknown

const paths = {
  head: '/.well-known/storage-revocations',
  keys: '/.well-known/storage-revocation-keys',
  list: '/.well-known/storage-revocations/',
} as const

type Document = keyof typeof paths

/** A hub whose answer for one document is made by the test; undefined leaves all of them as they are. */
async function openHub(document: Document, interfere?: Interfere) {
  const clock = movedClock()
  const revocations = publishedRevocations(clock.now)
  const asked: IncomingMessage[] = []
  const hub = await serving((request, response) => {
    asked.push(request)
    const answer = () => revocations.answer(request, response)
    const { url = '' } = request
    const isMeant = document === 'list' ? url.startsWith(paths.list) : url === paths[document]
    if (isMeant && interfere !== undefined) interfere(request, response, answer)
    else answer()
  })
  const failures: string[] = []
  const source = hubRevocations({
    documents: hubDocuments(hub.url),
    issuer,
    clock: clock.now,
    onFailure: (error) => failures.push(String(error)),
  })
  return { hub, source, revocations, failures, asked }
}

test('every document is asked for at its own path, without credentials', async () => {
  const { source, revocations, asked, failures } = await openHub('head')
  revocations.cut({ kind: 'all', id: '' })
  await source.refresh()
  expect(failures).toEqual([])
  expect(source.latest()?.list.size).toBe(1)
  const [head, keys, list] = asked
  expect(head?.url).toBe(paths.head)
  expect(keys?.url).toBe(paths.keys)
  expect(list?.url).toMatch(/^\/\.well-known\/storage-revocations\/[\w-]{43}$/)
  for (const { method, headers } of asked) {
    expect(method).toBe('GET')
    expect(headers).not.toHaveProperty('authorization')
    expect(headers).not.toHaveProperty('if-none-match')
  }
})

describe.each(['head', 'keys', 'list'] as const)(
  'no answer for the %s but a whole one counts',
  (document) => {
    test.each([201, 204, 206, 304, 401, 404, 500])('%i', async (status) => {
      const { source, failures } = await openHub(document, (_request, response) =>
        response.writeHead(status).end(),
      )
      await source.refresh()
      expect(source.latest()).toBeUndefined()
      expect(failures).toHaveLength(1)
    })

    test.each([301, 302, 307, 308])('%i, and no redirect is followed', async (status) => {
      let arrived = 0
      const elsewhere = await serving((_request, response) => {
        arrived += 1
        response.end()
      })
      const { source, failures } = await openHub(document, ({ url }, response) =>
        response.writeHead(status, { Location: `${elsewhere.url}${url}` }).end(),
      )
      await source.refresh()
      expect(source.latest()).toBeUndefined()
      expect(failures[0]).toContain(String(status))
      expect(arrived).toBe(0)
    })

    test('not one that breaks off', async () => {
      const { source, failures } = await openHub(document, (_request, response) => {
        response.writeHead(200, { 'Content-Length': 5000 })
        response.write('e', () => response.destroy())
      })
      await source.refresh()
      expect(source.latest()).toBeUndefined()
      expect(failures).toHaveLength(1)
    })

    test('not one that has no end', async () => {
      const most = { head: 4, keys: 64, list: 4096 }[document] * 1024
      let written = 0
      const endless = new Readable({
        read() {
          written += 4096
          this.push('x'.repeat(4096))
        },
      })
      const { source, failures } = await openHub(document, (_request, response) =>
        pipeline(endless, response, () => {}),
      )
      await source.refresh()
      expect(failures[0]).toContain(`more than ${most / 1024} KiB`)
      expect(written).toBeGreaterThan(most)
    })
  },
)

test('a connection that the hub has closed meanwhile is opened again', async () => {
  const { hub, source, failures } = await openHub('head')
  await source.refresh()
  hub.server.closeIdleConnections()
  await source.refresh()
  expect(failures).toEqual([])
})

test('a hub that hangs is given up, and the next question is asked', async () => {
  const clock = movedClock()
  const revocations = publishedRevocations(clock.now)
  let hangs = true
  const hub = await serving((request, response) => {
    if (!hangs) revocations.answer(request, response)
  })
  const failures: string[] = []
  const source = hubRevocations({
    documents: hubDocuments(hub.url),
    issuer,
    clock: clock.now,
    patienceSeconds: 0.2,
    onFailure: (error) => failures.push(String(error)),
  })
  await source.refresh()
  expect(source.latest()).toBeUndefined()
  expect(failures[0]).toContain('timeout')
  hangs = false
  // Long enough for a slow machine.
  const patient = hubRevocations({ documents: hubDocuments(hub.url), issuer, clock: clock.now })
  await patient.refresh()
  expect(patient.latest()?.state()).toBe('current')
})
