/** URLs that open one range of one object without a token: AWS Signature Version 4 over the host and the Range header. */

import { createHmac, createSecretKey, hash, type KeyObject } from 'node:crypto'
import type { S3Credentials } from '../object-store.ts'
import type { S3Range } from './s3-client.ts'

/** Where clients reach the objects. */
export interface ObjectsAddress {
  readonly origin: string
  /** Encoded: begins with `/`, and the key of an object comes behind it. */
  readonly path: string
  readonly region: string
}

/** The key is plain ASCII, and no letter of it needs to be encoded. */
export type SignRange = (key: string, range: S3Range) => string

export interface RangeSigning {
  readonly address: ObjectsAddress
  readonly credentials: S3Credentials
  readonly nowMs: number
  /** A request must begin before they are over. */
  readonly seconds: number
}

/** Prepares everything that the URLs of one response have in common: there may be thousands. */
export function rangeSigner({ address, credentials, nowMs, seconds }: RangeSigning): SignRange {
  const { origin, path, region } = address
  const { host } = new URL(origin)
  const moment = new Date(nowMs).toISOString().replace(/[:-]|\.\d{3}/g, '')
  const day = moment.slice(0, 8)
  const scope = `${day}/${region}/s3/aws4_request`
  const { accessKeyId, sessionToken } = credentials
  // In the order of their names, as it is signed.
  const query = new URLSearchParams({
    'X-Amz-Algorithm': 'AWS4-HMAC-SHA256',
    'X-Amz-Credential': `${accessKeyId}/${scope}`,
    'X-Amz-Date': moment,
    'X-Amz-Expires': String(seconds),
    ...(sessionToken !== undefined && { 'X-Amz-Security-Token': sessionToken }),
    'X-Amz-SignedHeaders': 'host;range',
  })
    .toString()
    .replaceAll('+', '%20')
    .replaceAll('*', '%2A')
    .replaceAll('%7E', '~')
  const before = `GET\n${path}`
  const between = `\n${query}\nhost:${host}\nrange:bytes=`
  const behind = '\n\nhost;range\nUNSIGNED-PAYLOAD'
  const intro = `AWS4-HMAC-SHA256\n${moment}\n${scope}\n`
  const signingKey = keyOf(credentials.secretAccessKey, day, region)
  return (key, { start, end }) => {
    const request = hash('sha256', `${before}${key}${between}${start}-${end}${behind}`)
    const signature = createHmac('sha256', signingKey)
      .update(intro + request)
      .digest('hex')
    return `${origin}${path}${key}?${query}&X-Amz-Signature=${signature}`
  }
}

function keyOf(secret: string, day: string, region: string): KeyObject {
  const steps = [day, region, 's3', 'aws4_request']
  const key = steps.reduce<string | Buffer>(
    (from, text) => createHmac('sha256', from).update(text).digest(),
    `AWS4${secret}`,
  )
  return createSecretKey(Buffer.from(key))
}
