/** What happens to a xorb, in which order, and what others wait for meanwhile. */

import type { Hash } from '@latchkey/xet/format'
import { expect, test } from 'vitest'
import type { StorageCall } from '../../src/request/asked.ts'
import { uploadXorb, type XorbUploading } from '../../src/xorbs/upload-xorb.ts'
import { digest, hash } from '../catalog/content.ts'

/** A storage whose steps are written down; `hold` makes one of them wait. */
function recorded(hold: (step: string) => Promise<void> = async () => {}) {
  const steps: string[] = []
  const step = async (name: string) => {
    steps.push(name)
    await hold(name)
  }
  const received: string[] = []
  const uploading = {
    async receiveUpload() {
      const file = `${received.push('') - 1}`
      return { id: file, bytes: 1, async discard() {} }
    },
    checker: {
      async check(file: string) {
        await step(`check ${file}`)
        const counts = { packedBytes: 1, unpackedBytes: 1, chunks: 1, askedChunks: [] }
        return { digest: digest(file), ...counts }
      },
    },
    catalog: {
      digestIn: (_repository: string, digest: string) => digest,
      async reserveObject({ key }: { key: string }) {
        await step(`reserve ${key}`)
      },
      objectOf: async () => undefined,
      isNamed: async () => true,
      async addXorb(...[, , , { key }]: Parameters<XorbUploading['catalog']['addXorb']>) {
        await step(`name ${key}`)
        return true
      },
    },
    objects: {
      fullSizeOf: async () => 1,
      async put({ id }: { id: string }) {
        await step(`put ${id}`)
        return id
      },
    },
  }
  const handle = uploadXorb(uploading as unknown as XorbUploading)
  const payer = { account: 'writer', repositoryUid: 'repository' }
  const place = { repositoryUid: 'repository' }
  const asked = { payer, place, signal: new AbortController().signal } as unknown as StorageCall
  return { steps, upload: () => handle(asked, hash('any') as Hash) }
}

test('it is checked, its key reserved, then on the disk, and only then given to its ref', async () => {
  const { steps, upload } = recorded()
  await upload()
  expect(steps).toEqual(['check 0', 'reserve 0', 'put 0', 'name 0'])
})

test('while one is synced, the next one of the same account is checked', async () => {
  const { promise: checked, resolve: onCheck } = Promise.withResolvers<void>()
  const { steps, upload } = recorded(async (step) => {
    if (step === 'check 1') onCheck()
    // Comes back only if nothing waits for it.
    if (step === 'put 0') await checked
  })
  await Promise.all([upload(), upload()])
  expect(steps.indexOf('check 1')).toBeGreaterThan(steps.indexOf('check 0'))
  expect(steps).toHaveLength(8)
})
