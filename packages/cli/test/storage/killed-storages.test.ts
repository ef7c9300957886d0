/** Unmodified clients upload and download through three storages of one bucket, while storages are killed. */

import { execFile } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { promisify } from 'node:util'
import { createRepo, downloadFile, uploadFiles } from '@huggingface/hub'
import { isPostgresMissing } from '@latchkey/testing/tools/postgres-programs'
import { isInstalled, pythonClients } from '@latchkey/testing/tools/python-environments'
import { isVersitygwMissing } from '@latchkey/testing/tools/s3-stores'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { openStoragesToKill, type StoragesToKill } from './storages-to-kill.ts'

const so = 'clients are not tested with storages that are killed'
const isMissing = [isPostgresMissing(so), isVersitygwMissing(so)].includes(true)
const environment = pythonClients.at(-1)
const hasPython = environment !== undefined && isInstalled(environment)
if (!hasPython)
  console.warn('NOT TESTED: huggingface_hub with storages that are killed is not installed')
const isPythonMissing = isMissing || !hasPython
const run = promisify(execFile)

interface Transfers {
  readonly count: number
  /** Of each file. */
  readonly bytes: number
}

/** Uploads files with `huggingface.js`, and downloads each. */
async function transferByJs(
  { hubUrl, token: accessToken }: StoragesToKill,
  { count, bytes }: Transfers,
): Promise<void> {
  const about = { repo: 'acme/js', accessToken, hubUrl }
  await createRepo({ ...about, visibility: 'private' })
  for (let round = 0; round < count; round += 1) {
    const content = randomBytes(bytes)
    const path = `weights-${round}.bin`
    const files = [{ path, content: new Blob([new Uint8Array(content)]) }]
    await uploadFiles({ ...about, files, useXet: true })
    expect(content.equals(await downloaded({ ...about, path })), path).toBe(true)
  }
}

/** This client begins nothing anew: its user does. */
async function downloaded(file: Parameters<typeof downloadFile>[0]): Promise<Buffer> {
  for (let left = 20; ; left -= 1) {
    try {
      const blob = await downloadFile(file)
      return Buffer.from(await (blob ?? new Blob()).arrayBuffer())
    } catch (error) {
      if (left === 0) throw error
    }
  }
}

/** Uploads files with `huggingface_hub`, and downloads each into an empty cache. */
async function transferByPython(
  { cwd, hubUrl, token }: StoragesToKill,
  { count, bytes }: Transfers,
): Promise<void> {
  const program = join(import.meta.dirname, 'huggingface.py')
  const python = run(environment?.python ?? '', [program], {
    env: {
      ...{ HOME: cwd, HF_HOME: join(cwd, 'hf'), HF_ENDPOINT: hubUrl },
      ...{ PATH: process.env['PATH'] ?? '', HF_HUB_DISABLE_TELEMETRY: '1' },
      HF_HUB_DISABLE_PROGRESS_BARS: '1',
    },
  })
  const sizes = { rounds: count, bytes }
  const asked = { token, folder: cwd, repos: ['acme/py'], ...sizes }
  python.child.stdin?.end(JSON.stringify(asked))
  expect(JSON.parse((await python).stdout)).toEqual(Array(count).fill(true))
}

/** The bytes that clients put into the store themselves. */
function grantedBytes({ door }: StoragesToKill): number {
  const puts = door.requests.filter(({ kind, status }) => kind === 'put' && status === 200)
  return puts.reduce((sum, { sentBytes }) => sum + sentBytes, 0)
}

describe.skipIf(isMissing)('a storage that is killed once it has received', () => {
  let site: StoragesToKill
  const ends: (() => unknown)[] = []
  beforeAll(async () => {
    site = await openStoragesToKill({ lets: 'grants', tidy: (work) => ends.unshift(work) })
  })
  afterAll(async () => {
    for (const end of ends) await end()
  })

  // conformance: Guarantees / Unmodified Hugging Face clients upload and download
  test('a xorb of huggingface.js loses nothing: the file comes back byte for byte', async () => {
    const killed = site.killNext('/v1/xorbs/')
    await transferByJs(site, { count: 1, bytes: 300_000 })
    await killed
    site.expectNoFailure()
  })

  // conformance: Guarantees / Unmodified Hugging Face clients upload and download
  test.skipIf(!hasPython)(
    'a commit of huggingface_hub, whose content is in the store by grant, loses nothing either',
    async () => {
      const killed = site.killNext('/v1/xorb-commits/')
      await transferByPython(site, { count: 1, bytes: 300_000 })
      await killed
      expect(grantedBytes(site)).toBeGreaterThanOrEqual(300_000)
      site.expectNoFailure()
    },
  )
})

describe('one storage of three is killed each second, and', { tags: 'soak' }, () => {
  const count = 8
  const patience = 600_000

  /** One after the other, until the work is done. */
  async function killEachSecond(
    lets: 'grants' | 'no grants',
    work: (site: StoragesToKill) => Promise<void>,
  ): Promise<void> {
    const site = await openStoragesToKill({
      lets,
      tidy: (work) => onTestFinished(async () => void (await work())),
    })
    const over = new AbortController()
    let kills = 0
    const killing = (async () => {
      const starting = new Set<Promise<void>>()
      for (let index = 0; !over.signal.aborted; index = (index + 1) % 3) {
        await delay(1000)
        if (!site.canKill(index)) continue
        await site.kill(index)
        kills += 1
        const restart = site.restart(index).then(() => void starting.delete(restart))
        starting.add(restart)
      }
      await Promise.all(starting)
    })()
    const started = performance.now()
    try {
      await work(site)
    } finally {
      over.abort()
      await killing
      site.expectNoFailure()
    }
    const seconds = Math.round((performance.now() - started) / 1000)
    const { front } = site
    console.info(
      `${kills} storages were killed in ${seconds} s; ${front.repeated()} requests were repeated, ${front.broken()} responses broke`,
    )
    expect(kills).toBeGreaterThan(count / 2)
  }

  test.skipIf(isMissing)(
    'what huggingface.js uploads comes back byte for byte',
    () => killEachSecond('no grants', (site) => transferByJs(site, { count, bytes: 3_000_000 })),
    patience,
  )

  test.skipIf(isPythonMissing)(
    'what huggingface_hub uploads comes back byte for byte',
    () =>
      killEachSecond('no grants', (site) => transferByPython(site, { count, bytes: 8_000_000 })),
    patience,
  )

  test.skipIf(isPythonMissing)(
    'what huggingface_hub puts into the store by grant comes back byte for byte',
    () =>
      killEachSecond('grants', async (site) => {
        await transferByPython(site, { count, bytes: 8_000_000 })
        expect(grantedBytes(site)).toBeGreaterThanOrEqual(count * 8_000_000)
      }),
    patience,
  )
})
