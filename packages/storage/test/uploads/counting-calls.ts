/** What an upload asks of a storage over HTTP, counted. */

import type { UploadCalls } from '@latchkey/xet'
import { bodyOf, type Caller } from '../caller.ts'

export interface Counted {
  /** Bytes of xorbs, whether they were taken or not. */
  xorbBytes: number
  xorbs: number
  shards: number
  questions: number
  heads: number
}

export interface CountingCalls extends UploadCalls {
  readonly counted: Counted
}

export function countingCalls(caller: Caller): CountingCalls {
  const counted = { xorbBytes: 0, xorbs: 0, shards: 0, questions: 0, heads: 0 }
  const send = async (path: string, body: Uint8Array) => {
    const { status, text } = await caller.ask(`POST ${path}`, { body: bodyOf(body) })
    if (status !== 200) throw new Error(`${status}: ${text}`)
  }
  return {
    counted,
    async findChunk(chunk) {
      counted.questions += 1
      const { status, bytes } = await caller.ask(`GET /v1/chunks/default-merkledb/${chunk}`)
      return status === 200 ? bytes : undefined
    },
    async hasFile(file) {
      counted.heads += 1
      const { status, headers } = await caller.ask(`HEAD /v1/files/${file}`)
      return status === 200 && headers.get('x-latchkey-registered') === 'own'
    },
    async sendXorb(xorb, parts) {
      const bytes = Buffer.concat(parts)
      counted.xorbs += 1
      counted.xorbBytes += bytes.length
      await send(`/v1/xorbs/default/${xorb}`, bytes)
    },
    async sendShard(shard) {
      counted.shards += 1
      await send('/v1/shards', shard)
    },
  }
}

export async function* inPieces(content: Uint8Array): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < content.length; at += 300_000) yield content.subarray(at, at + 300_000)
}
