/** A collection whose objects are in a bucket. */

import { mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { startVersitygw } from '@latchkey/testing/s3/stores'
import { keyAt, objectBytes } from './catalogue.ts'
import { type Collected, collectOnce } from './collect.ts'

export async function collectInBucket(count: number): Promise<Collected> {
  const store = await startVersitygw()
  try {
    const place = store.newPlace()
    const bytes = Buffer.alloc(objectBytes)
    // The server keeps objects as files of their names.
    for (let index = 0; index < count; index += 1) {
      const key = keyAt(index)
      for (const folder of ['objects', 'tables']) {
        const file = store.fileOf(place, join(folder, key.slice(0, 2), key))
        if (index === 0) mkdirSync(dirname(file), { recursive: true })
        writeFileSync(file, bytes)
      }
    }
    const collected = await collectOnce({ count, place: { ...place, scratch: '/nowhere' } })
    return collected
  } finally {
    await store.kill()
  }
}
