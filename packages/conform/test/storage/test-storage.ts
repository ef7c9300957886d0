/** A small storage behind the gate, which one defect at a time makes wrong. */

import { createHash } from 'node:crypto'
import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import {
  createGate,
  type Gate,
  type GateOptions,
  type Grant,
  type Row,
  rowFor,
  visible,
} from '@latchkey/gate'
import { type AuthenticationResult, authenticator } from '@latchkey/gate/authenticate'
import type { FakeHub } from '@latchkey/gate/testing'
import { onTestFinished } from 'vitest'
import { type RawRequest, type RawResponse, sentHeaders } from '../../src/wire/raw-request.ts'

export interface StorageRequest {
  readonly method: string
  readonly target: string
  /** Names and values in turn. */
  readonly headers: readonly string[]
}

export interface StoredRow extends Row {
  readonly hash: string
  readonly bytes: string
  /** The grant that wrote it. */
  readonly by: Grant
}

export type Rejected = Extract<AuthenticationResult, { ok: false }>

/** A defect may read these. */
export interface Seen {
  readonly request: StorageRequest
  /** The names of repositories by uid, of all grants so far. */
  readonly names: ReadonlyMap<string, string>
  /** The Authorization headers that were admitted before. */
  readonly admitted: ReadonlyMap<string, Grant>
  readonly gate: Gate
}

/** Each member changes the storage in one place. */
export interface Defect {
  readonly gateOptions?: (options: FakeHub['gateOptions']) => Partial<GateOptions>
  /** Before the gate sees the request. */
  readonly rewrites?: (request: StorageRequest) => StorageRequest
  /** Lets a request pass that the gate has rejected. */
  readonly admits?: (rejected: Rejected, seen: Seen) => boolean
  /** Rejects a request that the gate has admitted. */
  readonly rejects?: (request: StorageRequest, grant: Grant) => boolean
  /** Changes names and values of the headers, and the body, of a rejection. */
  readonly answers?: (answer: Answer, request: StorageRequest) => Answer
  readonly shows?: (grant: Grant, row: StoredRow) => boolean
  /** The text for content that exists in another place. */
  readonly hiddenText?: string
  /** The header of a response to an upload of bytes that exist in another place. */
  readonly knownHeader?: string
  readonly skipsDigest?: boolean
  readonly skipsWatch?: boolean
  /** Forged tokens after which an address is locked out. */
  readonly lockoutAfter?: number
}

export interface Answer {
  readonly status: number
  readonly headers: readonly string[]
  readonly body: string
}

interface TestStorage {
  readonly serverUrl: string
  /** Calls the storage in this process: hundreds of requests for each defect need no socket. */
  send(request: RawRequest): Promise<RawResponse>
}

/** Listens until the test is over. */
export async function openTestStorage(
  options: FakeHub['gateOptions'],
  defect: Defect = {},
): Promise<TestStorage> {
  const gate = createGate({ ...options, ...defect.gateOptions?.(options) } as GateOptions)
  const handle = storageHandler(gate, defect)
  const server = createServer(async (incoming, response) => {
    const { method = '', url = '', rawHeaders, socket } = incoming
    const request = { method, target: url, headers: rawHeaders }
    const work = handle(
      request,
      () => text(incoming),
      () => socket.destroy(),
    )
    await work.then((answer) => send(response, answer)).catch(() => response.destroy())
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => {
    gate.close()
    server.close().closeAllConnections()
  })
  const host = `127.0.0.1:${(server.address() as AddressInfo).port}`
  return {
    serverUrl: `http://${host}`,
    async send({ target, body = '', ...request }) {
      const headers = sentHeaders(host, { ...request, body: body || undefined }).flat()
      const content = async () => Buffer.from(body).toString()
      const answer = await handle({ method: request.method, target, headers }, content, () => {})
      return responseOf(answer, request.method === 'HEAD')
    },
  }
}

function responseOf({ status, headers, body }: Answer, isHead: boolean): RawResponse {
  const rows = headers.flatMap((name, index) =>
    index % 2 === 0 ? [[name.toLowerCase(), headers[index + 1] ?? ''] as const] : [],
  )
  const content = isHead ? '' : body
  const bytes = Buffer.from(content)
  return { status, headers: Object.fromEntries(rows), text: content, bytes }
}

function storageHandler(gate: Gate, defect: Defect) {
  const authenticate = authenticator(gate)
  const names = new Map<string, string>()
  const admitted = new Map<string, Grant>()
  const files = fileStore(defect)
  let forgedTokens = 0
  return async (
    original: StorageRequest,
    readBody: () => Promise<string>,
    cut: () => void,
  ): Promise<Answer> => {
    const request = defect.rewrites?.(original) ?? original
    const authorization = headerOf(request, 'authorization')
    const result = await authenticate({ ...request, address: '127.0.0.1' })
    if (!result.ok) {
      if (result.refusal?.reason === 'forged') forgedTokens += 1
      const seen = { request, names, admitted, gate }
      if (defect.admits?.(result, seen) === true) return absent
      return defect.answers?.(result.answer, original) ?? result.answer
    }
    if (forgedTokens > (defect.lockoutAfter ?? Number.POSITIVE_INFINITY)) {
      return { status: 429, headers: [], body: '' }
    }
    const { grant, path } = result.admitted
    if (defect.rejects?.(request, grant) === true) return { status: 401, headers: [], body: '' }
    names.set(grant.repositoryUid, grant.repository)
    admitted.set(authorization, grant)
    const end = defect.skipsWatch === true ? () => {} : gate.watch(grant, cut)
    try {
      const body = await readBody()
      const digest = headerOf(request, 'repr-digest')
      return files({ method: request.method, path, grant, body, digest })
    } finally {
      end()
    }
  }
}

interface FileRequest {
  readonly method: string
  readonly path: string
  readonly grant: Grant
  readonly body: string
  readonly digest: string
}

const absent = json(404, { code: 'resource_not_found' })

/** `PUT /v1/files` and `GET /v1/files/{hash}`, on one table for all repositories. */
function fileStore({ shows = visible, hiddenText, knownHeader, skipsDigest = false }: Defect) {
  const rows: StoredRow[] = []
  return ({ method, path, grant, body, digest }: FileRequest): Answer => {
    if (method === 'PUT' && path === '/v1/files') {
      const hash = createHash('sha256').update(body)
      const isWrong = digest !== '' && digest !== `sha-256=:${hash.copy().digest('base64')}:`
      if (isWrong && !skipsDigest) return json(400, { code: 'content_invalid' })
      const name = hash.digest('hex')
      const isKnown = rows.some((row) => row.hash === name)
      rows.push({ ...rowFor(grant), hash: name, bytes: body, by: grant })
      const stored = json(200, { hash: name, sha256: name, size: body.length })
      const known = isKnown && knownHeader !== undefined ? [knownHeader, '1'] : []
      return { ...stored, headers: [...stored.headers, ...known] }
    }
    const found = rows.filter((row) => path === `/v1/files/${row.hash}`)
    const newest = found.findLast((row) => shows(grant, row))
    if (newest !== undefined) return { status: 200, headers: [], body: newest.bytes }
    return found.length > 0 && hiddenText !== undefined
      ? json(404, { code: 'resource_not_found', detail: hiddenText })
      : absent
  }
}

function json(status: number, body: object): Answer {
  return { status, headers: ['Content-Type', 'application/json'], body: JSON.stringify(body) }
}

/** The only value of a header, or an empty text. */
export function headerOf({ headers }: StorageRequest, name: string): string {
  const at = headers.findIndex((text, index) => index % 2 === 0 && text.toLowerCase() === name)
  return at === -1 ? '' : (headers[at + 1] ?? '')
}

function send(response: ServerResponse, { status, headers, body }: Answer): void {
  const plain = headers.flatMap((text, index) =>
    index % 2 === 0 && text.toLowerCase() !== 'content-length'
      ? [text, headers[index + 1] ?? '']
      : [],
  )
  response.writeHead(status, plain)
  response.end(body)
}
