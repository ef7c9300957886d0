/** A hub and its storage as a process of their own, and what one who holds a token of a ref asks of them. */

import { buffer } from 'node:stream/consumers'
import { askHub } from '@latchkey/testing/hub/ask-hub'
import type { Prepared } from '@latchkey/testing/hub/prepared-data'
import { type Serving, serve } from '@latchkey/testing/machine/command'
import { roomToStart } from '@latchkey/testing/machine/latchkey-bin'
import { blobReader, downloadFile } from '@latchkey/xet'
import type { Hash } from '@latchkey/xet/format'
import { type Told, tell } from '../caller.ts'

export interface Answer {
  readonly status: number
  readonly body: Buffer
}

/** What a hub gives for a ref. */
export interface Access {
  readonly casUrl: string
  readonly accessToken: string
}

/** A ref as one who may write to it reaches it. */
export interface Ref extends Access {
  sendXorb(hash: Hash, body: Uint8Array<ArrayBuffer>): Promise<Answer>
  sendShard(shard: Buffer): Promise<Answer>
  readXorb(hash: Hash): Promise<Answer>
  /** Undefined when it is not there. */
  readFile(hash: Hash): Promise<Buffer | undefined>
}

export interface StorageProcess extends Serving {
  openRef(branch: string): Promise<Ref>
}

export async function serveStorage(
  { data, tokens }: Prepared,
  cwd: string,
  nodeFlags: readonly string[] = roomToStart,
  options: readonly string[] = [],
): Promise<StorageProcess> {
  const serving = await serve(['--data', data, ...options], { cwd, nodeFlags })
  return { ...serving, openRef: (branch) => openRef(serving.url, tokens, branch) }
}

/** With a token of the hub for a branch of `models/acme/bert`. */
export async function openRef(
  hubUrl: string,
  tokens: Prepared['tokens'],
  branch: string,
): Promise<Ref> {
  const token = tokens['writer/write'] ?? ''
  const { body } = await askHub(hubUrl, `write models/acme/bert@${branch}`, { token })
  return refAt(JSON.parse(body))
}

export function refAt({ casUrl, accessToken }: Access): Ref {
  const headers = { authorization: `Bearer ${accessToken}` }
  const ask = (path: string) => answerTo(tell(casUrl + path, { headers }))
  const send = (path: string, body: Uint8Array<ArrayBuffer>) =>
    answerTo(tell(casUrl + path, { method: 'POST', headers, body }))
  return {
    ...{ casUrl, accessToken },
    sendXorb: (hash, body) => send(`/v1/xorbs/default/${hash}`, body),
    sendShard: (shard) => send('/v1/shards', new Uint8Array(shard)),
    readXorb: (hash) => ask(`/v1/xorbs/default/${hash}`),
    async readFile(file) {
      const { status, body } = await ask(`/v1/reconstructions/${file}`)
      if (status === 404) return undefined
      const calls = {
        reconstruct: async () => ({ storageUrl: casUrl, answer: JSON.parse(body.toString()) }),
        readRun: blobReader().read,
        pause: async () => {
          throw new Error('the storage broke off')
        },
      }
      return buffer((await downloadFile(calls, file)).chunks)
    },
  }
}

async function answerTo(asked: Promise<Told>): Promise<Answer> {
  const { status, bytes } = await asked
  return { status, body: bytes }
}
