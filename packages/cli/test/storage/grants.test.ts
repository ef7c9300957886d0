/** Uploads by grant through several storages of one bucket: any of them commits what another one has granted. */

import { ownDatabase } from '@latchkey/testing/postgres/own-database'
import { type LocalS3Store, sharedVersitygw } from '@latchkey/testing/s3/stores'
import { isPostgresMissing } from '@latchkey/testing/tools/postgres-programs'
import { isVersitygwMissing } from '@latchkey/testing/tools/s3-stores'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { contentOf, type Held, storageCalls } from '../restore/storage-calls.ts'
import { storageHere } from '../serve-here.ts'
import { openStorages } from './storages-of-a-bucket.ts'

const so = 'uploads by grant are not tested with several storages'
const isMissing = [isPostgresMissing(so), isVersitygwMissing(so)].includes(true)

interface Granted {
  readonly id: string
  readonly method: string
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
}

async function post(
  storageUrl: string | undefined,
  { accessToken, casUrl }: Held,
  path: string,
  body?: object,
) {
  const response = await fetch(`${storageUrl}${new URL(casUrl).pathname}${path}`, {
    method: 'POST',
    headers: { authorization: `Bearer ${accessToken}` },
    ...(body && { body: JSON.stringify(body) }),
  })
  return { status: response.status, json: await response.json() }
}

describe.skipIf(isMissing)('three storages of one bucket that clients can reach', () => {
  let store: LocalS3Store
  let own: Awaited<ReturnType<typeof ownDatabase>>
  beforeAll(async () => {
    own = await ownDatabase()
    store = await sharedVersitygw()
  })
  afterAll(() => store?.kill())

  it('commit what another one has granted, and grant no more together than one may', async () => {
    const more = { objectsPublicEndpoint: store.endpoint, storageQuotaBytes: '40000' }
    const { urls, ...site } = await openStorages({ store, own, more, startStorage: storageHere })
    const [held, refreshed] = [await site.held(), await site.held()]
    const { xorb } = contentOf('granted')
    const { length } = xorb.bytes
    const ask = (url: string | undefined, bytes: number) =>
      post(url, held, `/v1/xorb-grants/default/${xorb.hash}`, { length: bytes })

    const asked = await ask(urls[0], length)
    expect(asked.status).toBe(201)
    const { id, method, url, headers } = asked.json as Granted
    const put = await fetch(url, { method, headers, body: new Uint8Array(xorb.bytes) })
    expect(put.status).toBe(200)
    const commits = [held, refreshed].map((token, at) =>
      post(urls[at + 1], token, `/v1/xorb-commits/default/${xorb.hash}/grant/${id}`),
    )
    for (const { status, json } of await Promise.all(commits)) {
      expect([status, json]).toEqual([200, { was_inserted: true }])
    }
    const calls = urls.map(storageCalls)
    expect(await calls[0]?.put(held, 'granted')).toBe(200)
    expect(await Promise.all(calls.map((each) => each.look(held, 'granted')))).toEqual([
      ...[200, 200, 200],
    ])

    const wishes = Array.from({ length: 30 }, (_, at) => ask(urls[at % 3], 2000))
    const statuses = (await Promise.all(wishes)).map(({ status }) => status)
    // As much as the repository may hold.
    expect(statuses.filter((status) => status === 201)).toHaveLength(20)
    expect(new Set(statuses)).toEqual(new Set([201, 404]))
  })
})
