/** Backups beside uploads and collections, each in a process of its own. */

import { utimesSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { setTimeout as delay } from 'node:timers/promises'
import { rounds } from '@latchkey/testing/chance'
import { pathOf } from '@latchkey/testing/hub/ask'
import { testSettings } from '@latchkey/testing/hub/hub-settings'
import { writeDirectory } from '@latchkey/testing/hub/write-directory'
import { expect, it } from 'vitest'
import { directoryFile } from '../directory-file.ts'
import { latchkeyHere } from '../run-here.ts'
import { latchkey, serve, temporaryDirectory } from '../run-latchkey.ts'
import { objectOf } from '../storage/content.ts'
import { contentOf, type Held, storageCalls } from './storage-calls.ts'

const backups = rounds(2, 20)
const twoDays = 2 * 24 * 3600

type Runs = typeof latchkey

async function run(runs: Runs, cwd: string, ...args: string[]) {
  const ended = await runs([...args, '--json'], { cwd })
  expect(ended, args.join(' ')).toMatchObject({ code: 0 })
  return JSON.parse(ended.stdout)
}

/** A hub with its storage, and uploads to it. */
async function opened() {
  const cwd = temporaryDirectory()
  const data = join(cwd, 'latchkey-data')
  const tokens = await writeDirectory<'ada/laptop'>(testSettings(data), directoryFile)
  const { url } = await serve([], { cwd })
  const headers = { authorization: `Bearer ${tokens['ada/laptop']}` }
  const answer = await fetch(url + pathOf('write models/acme/bert@main'), { headers })
  const held = (await answer.json()) as Held
  const calls = storageCalls(new URL(held.casUrl).origin)
  let count = 0
  return {
    cwd,
    /** A file that stays, and a xorb of no file that may be collected. */
    async upload() {
      count += 1
      const statuses = [
        await calls.put(held, `kept ${count}`),
        await calls.putXorb(held, `unused ${count}`),
      ]
      expect(statuses).toEqual([200, 200])
      age(data, `unused ${count}`)
    },
    uploaded: () => count,
  }
}

/** As if it had come two days ago. */
function age(data: string, word: string): void {
  const catalogue = new DatabaseSync(join(data, 'storage.db'), { timeout: 60_000 })
  const { hash } = contentOf(word).xorb
  const row = catalogue
    .prepare(
      'UPDATE stored_xorbs SET written_at = written_at - ? WHERE hash = ? RETURNING written_at',
    )
    .get(twoDays, hash)
  catalogue.close()
  const at = Number(row?.['written_at'])
  utimesSync(join(data, objectOf(data, hash)), at, at)
}

it('a backup beside uploads and collections has everything that it names', async () => {
  const { cwd, upload, uploaded } = await opened()
  for (let count = 0; count < 30; count += 1) await upload()
  const names = Array.from({ length: backups }, (_, index) => `backup-${index}`)
  let isOver = false
  let collected = 0
  const collecting = async () => {
    while (!isOver) {
      collected += (await run(latchkey, cwd, 'storage', 'gc', '--delete')).xorbs.count
      await delay(100)
    }
  }
  const uploading = async () => {
    while (!isOver) await upload()
  }
  const backingUp = async () => {
    for (const name of names)
      expect(await run(latchkey, cwd, 'backup', name)).toMatchObject({ missing: 0 })
  }
  await Promise.all([
    collecting(),
    uploading(),
    backingUp().finally(() => {
      isOver = true
    }),
  ])
  expect(collected).toBeGreaterThan(0)
  expect(uploaded()).toBeGreaterThan(30)
  for (const name of names) {
    const data = `restored-${name}`
    const { objects } = await run(latchkeyHere, cwd, 'restore', name, '--data', data)
    const verified = await run(latchkeyHere, cwd, 'storage', 'verify', '--content', '--data', data)
    expect(verified).toMatchObject({ objects: objects.count, badObjects: 0 })
    expect(objects.count).toBeGreaterThanOrEqual(30)
  }
})
