/** A store that a test scripts, and a client of it whose time passes at once. */

import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from 'node:http'
import { buffer } from 'node:stream/consumers'
import type { ClientClock } from '@latchkey/client/parts'
import { serving } from '@latchkey/testing/gate/gateway'
import { onTestFinished } from 'vitest'
import type { S3Place } from '../../src/objects/object-store.ts'
import { openS3Client, type S3ClientOptions } from '../../src/objects/s3/open-client.ts'
import type { S3Client } from '../../src/objects/s3/s3-client.ts'

export interface SeenRequest {
  readonly method: string
  readonly url: string
  readonly headers: IncomingHttpHeaders
  readonly body: string
}

export type ScriptedAnswer = (
  response: ServerResponse,
  request: SeenRequest,
  /** Counts from 0. */
  number: number,
) => void

export interface ScriptedStore {
  readonly url: string
  readonly place: S3Place
  readonly requests: readonly SeenRequest[]
}

export const givenCredentials = { accessKeyId: 'AKIDTEST', secretAccessKey: 'canary-secret' }

export async function scriptedStore(answer: ScriptedAnswer): Promise<ScriptedStore> {
  const requests: SeenRequest[] = []
  const { url } = await serving(async (request: IncomingMessage, response: ServerResponse) => {
    const { method = '', url: path = '', headers } = request
    const body = await buffer(request).then(String, () => 'broken')
    const seen = { method, url: path, headers, body }
    requests.push(seen)
    answer(response, seen, requests.length - 1)
  })
  const place: S3Place = {
    ...{ kind: 's3', bucket: 'bucket', prefix: 'hub/', endpoint: url, region: 'us-east-1' },
    ...{ isPathStyle: true, credentials: givenCredentials, scratch: '/nowhere' },
  }
  return { url, place, requests }
}

export interface TimedClient {
  readonly client: S3Client
  /** Milliseconds, one for each time that it waited. */
  readonly waits: readonly number[]
  readonly time: { wallMs: number }
}

/** Waits as long as it may: chance is at its highest. */
export function openClient(place: S3Place, options: S3ClientOptions = {}): TimedClient {
  const waits: number[] = []
  const time = { wallMs: Date.now() }
  const clock: ClientClock = {
    wallMs: () => time.wallMs,
    monotonicMs: () => time.wallMs,
    later(ms, act) {
      waits.push(ms)
      time.wallMs += ms
      const timer = setImmediate(act)
      return () => clearImmediate(timer)
    },
  }
  const client = openS3Client(place, { clock, random: () => 1, ...options })
  onTestFinished(() => client.close())
  return { client, waits, time }
}

export function errorDocument(code: string, more = ''): string {
  return `<?xml version="1.0" encoding="UTF-8"?>\n<Error><Code>${code}</Code><Message>m</Message>${more}</Error>`
}

export async function failureOf(work: Promise<unknown>): Promise<Error> {
  const error = await work.then(
    () => undefined,
    (reason: unknown) => reason,
  )
  if (!(error instanceof Error)) throw new Error('it did not fail')
  const text = [error.message, error.stack, String(error.cause), JSON.stringify(error)].join()
  if (/canary|AKIDTEST|Signature=/.test(text)) throw new Error('an error shows a secret')
  return error
}

export async function listOf<Item>(items: AsyncIterable<Item>): Promise<Item[]> {
  const list: Item[] = []
  for await (const item of items) list.push(item)
  return list
}
