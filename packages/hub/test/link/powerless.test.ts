/** What a storage token does not do: everything but the link and whoami. */

import { verbs } from '@latchkey/admin-api'
import { ask } from '@latchkey/testing/hub/ask'
import { expect, test } from 'vitest'
import { exampleOf } from '../admin/example-path.ts'
import { codeOf, gist } from '../http/compare.ts'
import { startLinked } from './ask-link.ts'

test.each([false, true])(
  'a token request with it is answered like one of a hub token without a grant there (hiding: %s)',
  async (hidePrivateRepositories) => {
    // Its account is even an admin of the namespace.
    const world = await startLinked({ hidePrivateRepositories })
    const repositories = ['models/acme/bert', 'models/acme/open', 'models/acme/none']
    for (const repository of repositories) {
      for (const scope of ['read', 'write']) {
        for (const revision of ['main', 'none', 'a'.repeat(40)]) {
          for (const method of ['GET', 'HEAD']) {
            const what = `${scope} ${repository}@${revision}`
            const told = await ask(world, what, { as: 'cas/link', method })
            expect([403, 404]).toContain(told.status)
            expect(gist(told)).toEqual(gist(await ask(world, what, { as: 'cas/nothing', method })))
          }
        }
      }
    }
  },
)

test('a hidden repository looks to it like an absent one', async () => {
  const world = await startLinked({ hidePrivateRepositories: true })
  const hidden = await ask(world, 'read models/acme/bert@main', { as: 'cas/link' })
  const absent = await ask(world, 'read models/acme/none@main', { as: 'cas/link' })
  expect(codeOf(hidden)).toEqual([404, 'repository_not_found'])
  expect(gist(hidden)).toEqual(gist(absent))
})

test('it opens no verb of the admin API', async () => {
  const world = await startLinked()
  for (const verb of verbs) {
    const told = await ask(world, `/admin/v1${exampleOf(verb)}`, {
      as: 'cas/link',
      method: verb.method,
    })
    expect([verb.words, ...codeOf(told)]).toEqual([verb.words, 403, 'permission_denied'])
  }
})

test('it is told whose it is', async () => {
  const world = await startLinked()
  const { status, json } = await ask(world, '/api/whoami', { as: 'cas/link' })
  expect(status).toBe(200)
  expect(json).toMatchObject({ account: { name: 'cas' }, hubToken: { kind: 'storage' } })
})
