/** Parts of plain files, as clients send them, and what the storage says about an upload. */

import { createHash } from 'node:crypto'
import { hashData } from '@latchkey/xet'
import type { Caller, Sent, Told } from '../caller.ts'
import { inPieces } from './counting-calls.ts'

const sha256Of = (bytes: Uint8Array) => createHash('sha256').update(bytes)

export function digestOf(bytes: Uint8Array): string {
  return `sha-256=:${sha256Of(bytes).digest('base64')}:`
}

/** The response to an upload of these bytes. */
export async function fileOf(bytes: Uint8Array) {
  const hash = await hashData(inPieces(bytes))
  return { hash, sha256: sha256Of(bytes).digest('hex'), size: bytes.length }
}

export interface Part {
  readonly from: number
  readonly to: number
  /** `*` for a client that does not know it. */
  readonly whole?: number | '*'
  readonly id?: string
  readonly headers?: Sent['headers']
}

/** Bytes of the file, as `curl -T FILE -C FROM` sends them. */
export function putPart(by: Caller, bytes: Uint8Array, part: Part): Promise<Told> {
  const { from, to, whole = bytes.length, id = 'up', headers } = part
  const range = from === to ? '*' : `${from}-${to - 1}`
  return by.ask(`PUT /v1/files?upload=${id}`, {
    body: new Uint8Array(bytes.subarray(from, to)),
    headers: { 'content-range': `bytes ${range}/${whole}`, ...headers },
  })
}

export function offsetOf({ headers }: Told): string | null {
  return headers.get('upload-offset')
}

/** Status, offset, and whether it is complete. */
export async function stateOf(by: Caller, id = 'up') {
  const told = await by.ask(`HEAD /v1/files?upload=${id}`)
  return [told.status, offsetOf(told), told.headers.get('upload-complete')]
}
