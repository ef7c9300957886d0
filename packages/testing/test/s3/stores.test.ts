/** A store of a test serves, and goes with the process that started it. */

import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { isListening } from '@latchkey/testing/machine/free-port'
import { ownStore, sharedVersitygw } from '@latchkey/testing/s3/stores'
import { isVersitygwMissing } from '@latchkey/testing/tools/s3-stores'
import { afterEach, expect, onTestFinished, test, vi } from 'vitest'

const hasNoStore = isVersitygwMissing('it is not shown that a killed test leaves none behind')
afterEach(() => void vi.unstubAllEnvs())

test.skipIf(hasNoStore)('a killed process leaves no store and no file of it', async () => {
  const file = join(import.meta.dirname, 'store-and-wait.ts')
  const child = spawn(process.execPath, [file], { stdio: ['ignore', 'pipe', 'inherit'] })
  onTestFinished(() => void child.kill('SIGKILL'))
  const [line] = await once(createInterface(child.stdout), 'line')
  const { folder, url, port } = JSON.parse(line)
  // The store asks for a signature.
  const unsigned = await fetch(url)
  expect([unsigned.status, existsSync(folder)]).toEqual([403, true])
  child.kill('SIGKILL')
  await expect.poll(async () => (await isListening(port)) || existsSync(folder)).toBe(false)
})

test.skipIf(hasNoStore)(
  'files that share a store have buckets of their own, and the end of one leaves the other',
  async () => {
    const [one, other] = await Promise.all([sharedVersitygw(), sharedVersitygw()])
    onTestFinished(() => other.kill())
    expect(one.port).toBe(other.port)
    const folders = [one, other].map((store) =>
      store.fileOf({ ...store.newPlace(), prefix: '' }, ''),
    )
    expect(folders.map((folder) => existsSync(folder))).toEqual([true, true])
    await one.kill()
    expect(folders.map((folder) => existsSync(folder))).toEqual([false, true])
    expect(await isListening(one.port)).toBe(true)
  },
)

test('a store of one’s own is used below a new prefix each time', () => {
  vi.stubEnv('LATCHKEY_TEST_S3', 'https://key:se%2Fcret@s3.example:9000/bucket/a/b?region=eu')
  const place = ownStore()?.newPlace()
  expect(place).toMatchObject({
    ...{ endpoint: 'https://s3.example:9000', bucket: 'bucket', region: 'eu', isPathStyle: true },
    credentials: { accessKeyId: 'key', secretAccessKey: 'se/cret' },
  })
  expect(place?.prefix).toMatch(/^a\/b\/[0-9a-f]{12}\/$/)
  expect(ownStore()?.newPlace().prefix).not.toBe(place?.prefix)
})
