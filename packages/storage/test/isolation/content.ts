/** A file of its own for every test: its chunks, the xorb they are in, and how it is registered. */

import { createHash } from 'node:crypto'
import { type MadeXorb, makeFile, makeXorb, randomChunks } from '@latchkey/testing/xet/making'
import type { FileToRegister } from '@latchkey/xet/format'
import type { Caller } from '../caller.ts'

export interface Content {
  readonly bytes: Buffer
  readonly xorb: MadeXorb
  readonly file: FileToRegister
  /** The one that clients ask for, to learn what they need not send. */
  readonly firstChunk: string
  readonly sha256: string
}

export function contentOf(seed: string, chunks = 3): Content {
  const parts = randomChunks(seed, chunks)
  const xorb = makeXorb(parts)
  const file = makeFile([{ xorb }])
  const bytes = Buffer.concat(parts)
  return { bytes, xorb, file, firstChunk: xorb.table.hash(0), sha256: sha256Of(bytes) }
}

export function sha256Of(bytes: Uint8Array): string {
  return createHash('sha256').update(bytes).digest('hex')
}

/** The question for a file by the SHA-256 of its bytes. */
export function bySha256({ sha256, bytes }: Pick<Content, 'sha256' | 'bytes'>): string {
  return `/v1/files/by-sha256/${sha256}?size=${bytes.length}`
}

export async function put(caller: Caller, { xorb, file }: Content): Promise<void> {
  for (const told of [await caller.upload(xorb), await caller.register([file], [xorb])]) {
    if (told.status !== 200) throw new Error(`${told.status}: ${told.text}`)
  }
}

/** Every way to learn of this content, with one that reads, and what was answered. */
export async function lookFor(caller: Caller, content: Content): Promise<readonly number[]> {
  const told = await Promise.all(looksFor(content).map((call) => caller.ask(call)))
  return told.map(({ status }) => status)
}

/** `GET /v1/…` for everything that could be told of it. */
export function looksFor(content: Content): readonly string[] {
  const { xorb, file, firstChunk } = content
  const xorbs = `/v1/xorbs/default/${xorb.hash}`
  return [
    `GET ${xorbs}`,
    `HEAD ${xorbs}`,
    `GET /xorb/${xorb.hash}`,
    `GET /v1/chunks/default-merkledb/${firstChunk}`,
    `GET /chunk/default/${firstChunk}`,
    `GET /v1/reconstructions/${file.hash}`,
    `GET /v2/reconstructions/${file.hash}`,
    `GET /reconstruction/${file.hash}`,
    `GET /v1/reconstructions?file_id=${file.hash}`,
    `HEAD /v1/files/${file.hash}`,
    `GET /v1/files/${file.hash}`,
    `GET ${bySha256(content)}`,
  ]
}

/** What one answers to all of it who has it, or who has nothing. */
export const everything = (content: Content) => looksFor(content).map(() => 200)
export const nothing = (content: Content) => looksFor(content).map(() => 404)
