/** Sends bodies, and reads them back, without ever holding a second copy of them. */

import { type IncomingMessage, request } from 'node:http'
import { text } from 'node:stream/consumers'
import type { Access } from '../crash/storage-process.ts'
import type { LargeXorb } from './large-xorbs.ts'

export async function sendLarge(
  access: Access,
  { hash, parts }: LargeXorb,
): Promise<{ readonly status: number | undefined; readonly body: string }> {
  const sending = request(`${access.casUrl}/v1/xorbs/default/${hash}`, {
    method: 'POST',
    headers: { authorization: `Bearer ${access.accessToken}`, 'content-length': lengthOf(parts) },
  })
  for (const part of parts) sending.write(part)
  sending.end()
  const answer = await answerTo(sending)
  return { status: answer.statusCode, body: await text(answer) }
}

/** Whether the storage gives its bytes, and no more. */
export async function isReadBack(access: Access, { hash, parts }: LargeXorb): Promise<boolean> {
  const asking = request(`${access.casUrl}/v1/xorbs/default/${hash}`, {
    headers: { authorization: `Bearer ${access.accessToken}` },
  })
  asking.end()
  let at = 0
  for await (const piece of (await answerTo(asking)) as AsyncIterable<Buffer>) {
    if (!isAt(at, piece, parts)) return false
    at += piece.length
  }
  return at === lengthOf(parts)
}

/** Whether the parts, one after the other, have these bytes there. */
function isAt(at: number, bytes: Buffer, [part, ...rest]: readonly Buffer[]): boolean {
  if (bytes.length === 0) return true
  if (part === undefined) return false
  if (at >= part.length) return isAt(at - part.length, bytes, rest)
  const here = part.subarray(at, at + bytes.length)
  return here.equals(bytes.subarray(0, here.length)) && isAt(0, bytes.subarray(here.length), rest)
}

function lengthOf(parts: readonly Buffer[]): number {
  return parts.reduce((sum, part) => sum + part.length, 0)
}

function answerTo(asking: ReturnType<typeof request>): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    asking.once('response', resolve).once('error', reject)
  })
}
