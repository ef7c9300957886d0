/** All objects move to a bucket and back, while the storage serves: killed or spoiled, no wrong byte arrives. */

import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type FaultProxy, startFaultProxy } from '@latchkey/testing/s3/fault-proxy'
import { type LocalS3Store, type S3PlaceOfTest, sharedVersitygw } from '@latchkey/testing/s3/stores'
import { isVersitygwMissing } from '@latchkey/testing/tools/s3-stores'
import { afterAll, beforeAll, beforeEach, describe, expect, it, onTestFinished } from 'vitest'
import { commit } from '../directory-file.ts'
import { type Held, storageCalls } from '../restore/storage-calls.ts'
import { latchkeyHere } from '../run-here.ts'
import { ended, start, temporaryDirectory } from '../run-latchkey.ts'
import { type Both, bothHere } from '../serve-here.ts'

const words = Array.from({ length: 12 }, (_, index) => `word ${index}`)

const directory = {
  accounts: [{ name: 'ada' }],
  namespaces: [{ name: 'acme', members: { ada: 'write' } }],
  repositories: [
    { type: 'model', id: 'acme/bert', visibility: 'private', branches: { main: commit } },
  ],
  hubTokens: [{ account: 'ada', name: 'laptop', kind: 'write' }],
}

describe.skipIf(isVersitygwMissing('copies to a bucket are not tested'))('a copy', () => {
  let store: LocalS3Store
  let proxy: FaultProxy
  let place: S3PlaceOfTest
  let cwd = ''
  let token = ''
  let env: Readonly<Record<string, string>> = {}
  beforeAll(async () => {
    store = await sharedVersitygw()
    proxy = await startFaultProxy(store.port)
  })
  afterAll(async () => {
    await proxy?.close()
    await store?.kill()
  })
  beforeEach(async () => {
    await proxy.mend()
    place = store.newPlace()
    const { accessKeyId, secretAccessKey } = place.credentials
    env = { AWS_ACCESS_KEY_ID: accessKeyId, AWS_SECRET_ACCESS_KEY: secretAccessKey }
    cwd = temporaryDirectory()
    const input = JSON.stringify(directory)
    const { stdout } = await latchkeyHere(['apply', '-', '--json'], { cwd, input })
    token = JSON.parse(stdout).hubTokens[0].token
  })

  const data = () => join(cwd, 'latchkey-data')
  const bucket = () => `s3://${place.bucket}/${place.prefix.slice(0, -1)}`
  const endpoint = () => ['--objects-endpoint', proxy.endpoint]
  const words12 = (from: string, to: string) => ['storage', 'copy', '--from', from, '--to', to]
  const copy = (from: string, to: string) =>
    latchkeyHere([...words12(from, to), ...endpoint()], { cwd, env })
  const objectsIn = (folder: string) =>
    readdirSync(join(folder, 'objects'), { recursive: true })
      .map(String)
      .filter((name) => /^[0-9a-f]{2}\/[0-9a-f]{32}$/.test(name))
      .toSorted()
  const inBucket = () => objectsIn(join(store.fileOf(place, '')))

  async function serve(flags: Readonly<Record<string, string>> = {}): Promise<Serving> {
    const both = await bothHere(data(), env, flags)
    let isStopped = false
    const stop = async () => {
      if (!isStopped) await both.stop()
      isStopped = true
    }
    onTestFinished(stop)
    const path = '/api/models/acme/bert/storage-write-token/main'
    const answer = await fetch(both.url + path, { headers: { authorization: `Bearer ${token}` } })
    const held = (await answer.json()) as Held
    const calls = storageCalls(both.storageUrl)
    return {
      ...both,
      stop,
      put: () => Promise.all(words.map((word) => calls.put(held, word))),
      look: () => Promise.all(words.map((word) => calls.look(held, word))),
    }
  }
  const all200 = words.map(() => 200)

  it('is killed, goes on, brings everything whole, and back', async () => {
    const { put, look, stop } = await serve()
    expect(await put()).toEqual(all200)
    proxy.decide(() => ({ delayMs: 50 }))
    const child = start([...words12(data(), bucket()), ...endpoint()], { cwd, env })
    await expect.poll(() => inBucket().length, { timeout: 60_000, interval: 5 }).toBeGreaterThan(2)
    expect(await look()).toEqual(all200)
    child.kill('SIGKILL')
    expect(await ended(child)).toBeNull()
    await proxy.mend()
    const before = inBucket().length
    expect(before).toBeLessThan(words.length)
    await stop()
    const rest = await copy(data(), bucket())
    expect([rest.code, rest.stdout]).toEqual([0, ''])
    const found = /^Copied: (\d+) \(\d+ bytes\)\. Already there: (\d+)\. To switch over/.exec(
      rest.stderr,
    )
    const [copied, wereThere] = [Number(found?.[1]), Number(found?.[2])]
    expect(copied + wereThere).toBe(words.length)
    expect(wereThere).toBeGreaterThan(0)
    expect(inBucket()).toEqual(objectsIn(data()))

    const adopting = ['storage', 'adopt', '--yes', '--objects', bucket(), ...endpoint()]
    expect(await latchkeyHere(adopting, { cwd, env })).toMatchObject({ code: 0 })
    const moved = await serve({ objects: bucket(), objectsEndpoint: proxy.endpoint })
    await expect.poll(moved.isReady).toBe(true)
    expect(await moved.look()).toEqual(all200)

    const folder = join(cwd, 'back')
    expect(await copy(bucket(), folder)).toMatchObject({ code: 0 })
    expect(objectsIn(folder)).toEqual(objectsIn(data()))
    for (const name of objectsIn(folder)) {
      const [one, other] = [folder, data()].map((from) => readFileSync(join(from, 'objects', name)))
      expect(one).toEqual(other)
    }
  })

  it('reports a spoiled object, and does not bring it', async () => {
    const { put } = await serve()
    expect(await put()).toEqual(all200)
    const [name = ''] = objectsIn(data())
    const file = join(data(), 'objects', name)
    const bytes = readFileSync(file)
    const spoiled = Buffer.from(bytes)
    spoiled[700] = (spoiled[700] ?? 0) ^ 1
    writeFileSync(file, spoiled)
    const { code, stdout, stderr } = await copy(data(), bucket())
    expect([code, stderr]).toEqual([1, expect.stringContaining('not copied')])
    expect(stdout).toContain(name.slice(3))
    expect(stderr).toContain('latchkey: not copied: 1 object (copied: 11 (')
    expect(inBucket()).toHaveLength(words.length - 1)
    expect(existsSync(store.fileOf(place, `objects/${name}`))).toBe(false)
    writeFileSync(file, bytes)
    expect((await copy(data(), bucket())).stderr).toMatch(/^Copied: 1 \(.*Already there: 11\./)
  })

  it('from a place to itself, or to none, is a mistake', async () => {
    await serve()
    const { code, stderr } = await copy(data(), data())
    expect([code, stderr]).toEqual([2, expect.stringContaining('this is the place that --from')])
    const odd = await copy(data(), 's3://x')
    expect([odd.code, odd.stderr]).toEqual([2, expect.stringContaining('"s3://x" is not allowed')])
  })
})

interface Serving extends Both {
  put(): Promise<readonly number[]>
  look(): Promise<readonly number[]>
}
