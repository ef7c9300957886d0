/** Posts a xorb, as a client would. */

import { Agent, request } from 'node:http'
import { text } from 'node:stream/consumers'
import type { Ready } from './sides.ts'
import { type BenchXorb, lengthOf } from './xorbs.ts'

const agent = new Agent({ keepAlive: true })

export function sendXorb(side: Ready, xorb: BenchXorb): Promise<void> {
  return post(side, `/v1/xorbs/default/${xorb.hash}`, xorb.parts, lengthOf(xorb))
}

export function sendShard(side: Ready, shard: Uint8Array): Promise<void> {
  return post(side, '/v1/shards', [shard], shard.length)
}

function post(
  { url, authorization }: Ready,
  path: string,
  parts: readonly Uint8Array[],
  length: number,
): Promise<void> {
  const headers = { authorization, 'content-length': length }
  return new Promise((resolve, reject) => {
    const sending = request(url + path, { agent, method: 'POST', headers }, async (answer) => {
      const told = await text(answer)
      // A xorb that was there already is not kept again, and would measure something else.
      if (answer.statusCode === 200 && !told.includes('false')) resolve()
      else reject(new Error(`${answer.statusCode} ${told}`))
    })
    sending.on('error', reject)
    for (const part of parts) sending.write(part)
    sending.end()
  })
}
