/** A text in the bucket that changes only from the version that was read. */

import type { SharedText } from '@latchkey/gate/hub-link'
import { NoSuchObject, type S3Client } from './s3-client.ts'

export function sharedText(
  client: Pick<S3Client, 'head' | 'get' | 'put'>,
  key: string,
): SharedText {
  return {
    async read() {
      const head = await client.head(key)
      if (head === undefined) return undefined
      try {
        // Replaced meanwhile, it is newer than its version, and nothing is written from it.
        const parts: Buffer[] = []
        for await (const part of client.get(key)) parts.push(Buffer.from(part))
        return { text: Buffer.concat(parts).toString('utf8'), version: head.etag }
      } catch (error) {
        if (error instanceof NoSuchObject) return undefined
        throw error
      }
    },
    async write(text, version) {
      const condition = version === 'new' ? { ifNoneMatch: '*' as const } : { ifMatch: version }
      return (await client.put(key, Buffer.from(text), condition)) !== 'exists'
    },
  }
}
