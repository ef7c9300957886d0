/** The unmodified `hf_xet` by grant: its content goes to the object store, and none of it through the storage. */

import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { rounds } from '@latchkey/testing/chance'
import { keystream } from '@latchkey/testing/keystream'
import { sharedFolder } from '@latchkey/testing/machine/folder'
import { type FaultProxy, startFaultProxy } from '@latchkey/testing/s3/fault-proxy'
import { type LocalS3Store, sharedVersitygw } from '@latchkey/testing/s3/stores'
import { hfXetReleases, isInstalled } from '@latchkey/testing/tools/python-environments'
import { isVersitygwMissing } from '@latchkey/testing/tools/s3-stores'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { openStage } from '../real-clients/stage.ts'
import { sentXorbBytes } from '../real-clients/transfers.ts'
import { hfXetClient } from './two-clients.ts'

const release = '1.8.0'
const environment = hfXetReleases.get(release)
const isClientMissing = environment === undefined || !isInstalled(environment)
if (isClientMissing)
  console.warn(`NOT TESTED: hf_xet ${release} is not installed: no upload by grant`)
const isMissing = isVersitygwMissing('hf_xet uploads nothing by grant') || isClientMissing

/** Two xorbs in a soak. */
const content = keystream('by grant', rounds(3_000_000, 70_000_000))
const xorbs = rounds(1, 2)

describe.skipIf(isMissing)(`hf_xet ${release}`, () => {
  const folder = sharedFolder()
  let store: LocalS3Store
  /** Between clients and the store. */
  let door: FaultProxy
  beforeAll(async () => {
    store = await sharedVersitygw()
    door = await startFaultProxy(store.port)
    writeFileSync(join(folder, 'sent'), content)
    writeFileSync(join(folder, 'short'), content.subarray(0, 50_000))
  })
  afterAll(async () => {
    await door?.close()
    await store?.kill()
  })

  const begin = async () => {
    await door.mend()
    door.forget()
    const place = { ...store.newPlace(), scratch: join(folder, 'scratch') }
    const objects = { ...place, publicEndpoint: door.endpoint }
    const stage = await openStage({ settings: { objects } })
    onTestFinished(stage.close)
    const client = hfXetClient(stage, folder, environment?.python ?? '')
    const upload = (name = 'sent') =>
      client.upload({ branch: 'main', file: join(folder, name) }).printed
    const calls = () => stage.door.passed.map(({ call, status }) => `${nameOf(call)} ${status}`)
    return { stage, client, upload, calls }
  }

  /** Without hashes and ids. */
  const nameOf = (call: string) => call.replaceAll(/\/[0-9a-f]{32,}/g, '')
  const byGrant = ['POST /v1/xorb-grants/default 201', 'POST /v1/xorb-commits/default/grant 200']
  const each = (calls: readonly string[]) => Array.from({ length: xorbs }, () => calls).flat()
  const ofXorbs = (calls: readonly string[]) => calls.filter((call) => call.includes('/xorb'))

  // conformance: Embedded storage / Unmodified clients upload and download
  test('sends its content to the store and reads it back, and no connection of the storage has it', async () => {
    const { stage, client, upload, calls } = await begin()
    const hash = await upload()
    expect(ofXorbs(calls()).toSorted()).toEqual(each(byGrant).toSorted())
    const throughStorage = stage.door.passed.reduce((sum, { sentBytes }) => sum + sentBytes, 0)
    expect(throughStorage).toBeLessThan(content.length / 100)
    expect(sentXorbBytes(stage.door.passed)).toBe(0)
    const bytes = door.requests.map(({ sentBytes }) => sentBytes)
    expect(bytes).toHaveLength(xorbs)
    const total = bytes.reduce((sum, one) => sum + one, 0)
    expect(total).toBeGreaterThan(content.length)
    expect(await stage.metrics()).toContain(`latchkey_storage_read_back_bytes_total ${total}\n`)

    const file = join(folder, 'read')
    await client.download({ branch: 'main', file, hash, bytes: content.length }).printed
    expect(readFileSync(file).equals(content)).toBe(true)
  })

  test('goes on to the commit when the response to its transfer is lost', async () => {
    const { stage, upload, calls } = await begin()
    let lost = 0
    door.decide(() => {
      lost += 1
      // A store that does not read a transfer to its end may reset the connection in place of this response.
      const taken = { response: { status: 412, code: 'PreconditionFailed' } }
      return lost === 1 ? { loseResponse: true } : taken
    })
    await upload('short')
    // The second is what the store would say, and never came to it.
    expect(door.requests.map(({ status }) => status)).toEqual([200, undefined])
    expect(ofXorbs(calls()).toSorted()).toEqual(byGrant.toSorted())
    expect(sentXorbBytes(stage.door.passed)).toBe(0)
  })

  test('sends its content to the storage when it cannot reach the store', async () => {
    const { stage, upload, calls } = await begin()
    await door.refuse()
    await upload()
    const [granted] = byGrant
    expect(ofXorbs(calls()).toSorted()).toEqual(
      each([`${granted}`, 'POST /v1/xorbs/default 200']).toSorted(),
    )
    expect(sentXorbBytes(stage.door.passed)).toBeGreaterThan(content.length)
  })
})
