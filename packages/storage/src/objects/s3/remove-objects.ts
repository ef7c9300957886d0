/** Removes many objects with few requests. */

import { createHash } from 'node:crypto'
import { escapeText } from '@latchkey/service/text'
import { type Bucket, documentIn } from './list-objects.ts'
import { childrenOf, textIn } from './read-xml.ts'
import type { ObjectVersion } from './s3-client.ts'
import { unavailable } from './store-errors.ts'

const atOnce = 1000
const purpose = 'remove objects'

/** A store that removes objects singly alone says so. */
const unsupported = [405, 501]
/** Each of a thousand may be named, with why it stays. */
const maxAnswerBytes = 4 * 1024 * 1024

export async function removeObjects(
  bucket: Bucket,
  objects: Iterable<ObjectVersion>,
): Promise<boolean> {
  let batch: ObjectVersion[] = []
  for (const object of objects) {
    batch.push(object)
    if (batch.length < atOnce) continue
    if (!(await removeBatch(bucket, batch))) return false
    batch = []
  }
  return batch.length === 0 || removeBatch(bucket, batch)
}

async function removeBatch(bucket: Bucket, batch: readonly ObjectVersion[]): Promise<boolean> {
  const { place, send } = bucket
  const entries = batch.map(({ key, versionId }) => {
    const version = versionId === undefined ? '' : `<VersionId>${escaped(versionId)}</VersionId>`
    return `<Object><Key>${escaped(`${place.prefix}${key}`)}</Key>${version}</Object>`
  })
  const body = Buffer.from(
    `<?xml version="1.0" encoding="UTF-8"?><Delete xmlns="http://s3.amazonaws.com/doc/2006-03-01/"><Quiet>true</Quiet>${entries.join('')}</Delete>`,
  )
  const answer = await send({
    ...{ purpose, method: 'POST', query: [['delete', '']], body },
    ...{ accepts: unsupported, maxBytes: maxAnswerBytes },
    headers: {
      'content-md5': createHash('md5').update(body).digest('base64'),
      'content-type': 'application/xml',
    },
  })
  if (unsupported.includes(answer.status)) return false
  const failed = childrenOf(documentIn(bucket, purpose, answer), 'Error').filter(
    (error) => !['NoSuchKey', 'NoSuchVersion'].includes(textIn(error, 'Code')),
  )
  const [first] = failed
  if (first === undefined) return true
  const code = escapeText(textIn(first, 'Code').slice(0, 64))
  throw unavailable({ place, purpose }, `it kept ${failed.length} of ${batch.length} (${code})`)
}

const entities: Readonly<Record<string, string>> = { '<': '&lt;', '>': '&gt;', '&': '&amp;' }

function escaped(text: string): string {
  return text.replace(/[<>&]/g, (sign) => entities[sign] ?? sign)
}
