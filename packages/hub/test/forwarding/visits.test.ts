/** A session counts at the forge for the pages that a person opens, and the forge never sees it. */

import { ask, bearer } from '@latchkey/testing/hub/ask'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { masterKeyFile, readMasterKey } from '../../src/keys/master-key.ts'
import { tickets } from '../../src/link/tickets.ts'
import { signIn } from '../sign-in/browser.ts'
import { openStage, type Stage } from './open-stage.ts'

let stage: Stage
const closing: (() => Promise<void>)[] = []
beforeAll(async () => {
  stage = await openStage(undefined, {}, (close) => void closing.unshift(close))
})
afterAll(async () => {
  for (const close of closing) await close()
})

const html = 'text/html,application/xhtml+xml'
const page = '/acme/bert/tree/main'

async function opened(path: string, headers: Record<string, string>, method = 'GET') {
  const told = await ask(stage.world, path, { method, headers })
  return { told, ticket: stage.forge.requests.at(-1)?.headers['latchkey-ticket'] }
}

test('a page that a person opens comes with a ticket for the session, good for a minute', async () => {
  const cookie = await signIn(stage.world, 'writer/write')
  const { told, ticket } = await opened(page, { cookie, accept: html })
  const read = tickets(readMasterKey(masterKeyFile(stage.world.settings.data)), (length) =>
    Buffer.alloc(length),
  )
  const now = stage.world.now()
  expect(read.read(String(ticket), now)?.reveal()).toBe(cookie.split('=')[1])
  expect(read.read(String(ticket), (now + 60) as never)).toBeUndefined()
  expect(JSON.stringify(stage.forge.requests.at(-1)?.rawHeaders)).not.toContain('lks_')
  expect(told.headers.get('cache-control')).toBe('no-store')
  expect(told.headers.get('vary')).toBe('Cookie')
  expect(told.headers.getSetCookie()).toEqual([])
})

// biome-ignore format: a table is read by its columns
test.each([
  ['a form',                     'POST', page,                                   { accept: html }],
  ['a program without HTML',     'GET',  page,                                   { accept: '*/*' }],
  ['HTML that is not wanted',    'GET',  page,                                   { accept: 'text/html;q=0' }],
  ['a route of the API',         'GET',  '/api/models/acme/bert',                { accept: html }],
  ['the API in capitals',        'GET',  '/API/models/acme/bert',                { accept: html }],
  ['git',                        'GET',  '/acme/bert.git/info/refs',             { accept: html }],
  ['git that is encoded',        'GET',  '/acme/bert%2eGit%2Finfo/refs',         { accept: html }],
  ['a hub token beside it',      'GET',  page,                                   { accept: html, authorization: 'Bearer x' }],
])('%s comes without a ticket', async (_, method, path, headers) => {
  const cookie = await signIn(stage.world, 'writer/write')
  const { ticket } = await opened(path, { cookie, ...headers }, method)
  expect(ticket).toBeUndefined()
  expect(stage.forge.requests.at(-1)?.url).toBe(path)
})

test('a request without a session, or with a forged one, comes without a ticket', async () => {
  const forged = `__Host-latchkey=lks_${'a'.repeat(49)}`
  for (const cookie of ['', 'other=1', forged]) {
    const { ticket } = await opened(page, { cookie, accept: html })
    expect(ticket).toBeUndefined()
  }
})

test('the hub removes the cookie of a session that has ended, and sends no ticket', async () => {
  const cookie = await signIn(stage.world, 'writer/write')
  stage.world.passSeconds(8 * 3600)
  const { told, ticket } = await opened(page, { cookie, accept: html })
  expect(ticket).toBeUndefined()
  expect(told.headers.getSetCookie()).toEqual([
    expect.stringMatching(/^__Host-latchkey=; Path=\/; Max-Age=0;/),
  ])
})

test('a hub token reaches the forge as it came, beside a session or not', async () => {
  const authorization = bearer(stage.world, 'reader/write')
  await opened(page, { authorization })
  expect(stage.forge.requests.at(-1)?.headers.authorization).toBe(authorization)
})
