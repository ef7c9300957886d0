/** Sends and reads bodies without ever holding a second copy of them. */

import { createHash } from 'node:crypto'
import { type IncomingMessage, request } from 'node:http'
import { text } from 'node:stream/consumers'
import type { Access } from '../crash/storage-process.ts'
import type { LargeXorb } from './large-xorbs.ts'

export async function sendLarge(
  access: Access,
  { hash, parts }: LargeXorb,
): Promise<{ readonly status: number | undefined; readonly body: string }> {
  const length = parts.reduce((sum, part) => sum + part.length, 0)
  const sending = request(`${access.casUrl}/v1/xorbs/default/${hash}`, {
    method: 'POST',
    headers: { authorization: `Bearer ${access.accessToken}`, 'content-length': length },
  })
  for (const part of parts) sending.write(part)
  sending.end()
  const answer = await answerTo(sending)
  return { status: answer.statusCode, body: await text(answer) }
}

/** SHA-256 of what the storage gives for it. */
export async function readBack(access: Access, { hash }: LargeXorb): Promise<string> {
  const asking = request(`${access.casUrl}/v1/xorbs/default/${hash}`, {
    headers: { authorization: `Bearer ${access.accessToken}` },
  })
  asking.end()
  return sha256(await answerTo(asking))
}

export async function sha256(parts: AsyncIterable<Buffer> | Iterable<Buffer>): Promise<string> {
  const digest = createHash('sha256')
  for await (const part of parts) digest.update(part)
  return digest.digest('hex')
}

function answerTo(asking: ReturnType<typeof request>): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    asking.once('response', resolve).once('error', reject)
  })
}
