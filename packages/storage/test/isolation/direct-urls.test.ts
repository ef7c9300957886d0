/** A URL of the object store opens one range of one object of its repository, for a minute at most, and nothing else. */

import { sharedFolder } from '@latchkey/testing/machine/folder'
import { type LocalS3Store, sharedVersitygw } from '@latchkey/testing/s3/stores'
import { isVersitygwMissing } from '@latchkey/testing/tools/s3-stores'
import { makeFile } from '@latchkey/testing/xet/making'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Caller, type Recipe, rangeOf, tell } from '../caller.ts'
import { openStage, type Stage } from '../stage.ts'
import { contentOf, put } from './content.ts'

const isMissing = isVersitygwMissing('URLs of an object store are not tested')
const content = contentOf('behind a URL of the store', 5)
const { xorb } = content
const part = makeFile([{ xorb, start: 1, end: 3 }])

describe.skipIf(isMissing)('a URL of the object store', () => {
  const scratch = sharedFolder()
  let store: LocalS3Store
  let stage: Stage
  beforeAll(async () => {
    store = await sharedVersitygw()
    const place = { ...store.newPlace(), scratch }
    const objects = { ...place, publicEndpoint: place.endpoint }
    stage = await openStage({ settings: { objects, directDownloads: true, leewaySeconds: 0 } })
  })
  afterAll(async () => {
    await stage?.close()
    await store?.kill()
  })

  async function ownerOf(repository: string): Promise<Caller> {
    const owner = await stage.caller(`write ${repository}@main`)
    await put(owner, { ...content, file: part })
    return owner
  }

  /** The URL for the middle of the xorb, and the range that goes with it. */
  async function given(caller: Caller) {
    const { json } = await caller.ask(`GET /v2/reconstructions/${part.hash}`)
    const [first] = (json as unknown as Recipe).xorbs[xorb.hash] ?? []
    const [run] = first?.ranges ?? []
    if (first === undefined || run === undefined) throw new Error('no URL was given')
    return { url: new URL(first.url), range: rangeOf(run.bytes), bytes: run.bytes }
  }

  const get = (url: URL, range: string) => tell(url.href, { headers: { range } })

  // conformance: Attacks / 26. An attacker reuses the URL of a blob
  test('opens its range, and no other bytes', async () => {
    const { url, range, bytes } = await given(await ownerOf(await stage.newRepository()))
    const told = await get(url, range)
    expect([told.status, url.origin]).toEqual([206, store.endpoint])
    expect(told.bytes.equals(xorb.bytes.subarray(bytes.start, bytes.end + 1))).toBe(true)
    for (const other of [`bytes=${bytes.start}-${bytes.end + 1}`, 'bytes=0-', 'bytes=0-0']) {
      expect((await get(url, other)).status, other).toBe(403)
    }
  })

  // conformance: Attacks / 25. An attacker uses deduplication to detect content of others
  test('opens nothing of another repository, which has an object of its own', async () => {
    const own = await given(await ownerOf(await stage.newRepository()))
    const theirs = await given(await ownerOf(await stage.newRepository()))
    expect(own.url.pathname).not.toBe(theirs.url.pathname)
    const moved = new URL(own.url)
    moved.pathname = theirs.url.pathname
    expect((await get(moved, own.range)).status).toBe(403)
    expect((await get(theirs.url, theirs.range)).status).toBe(206)
  })

  // conformance: Attacks / 26. An attacker reuses the URL of a blob
  test('lasts a minute, and no longer than its token', async () => {
    const owner = await ownerOf(await stage.newRepository())
    const secondsOf = async () => (await given(owner)).url.searchParams.get('X-Amz-Expires')
    expect(await secondsOf()).toBe('60')
    stage.world.passSeconds(880)
    expect(await secondsOf()).toBe('20')
  })
})
