/** The gate or storage under test, and the hub that the run plays for it. */

import { setTimeout as delay } from 'node:timers/promises'
import type { FakeHub, TokenRequest } from '@latchkey/gate/testing'
import type { Fault } from '../check.ts'
import { isOutcome, outcomeOf, problemOf } from '../wire/outcome.ts'
import type { HeaderLine, RawClient, RawResponse } from '../wire/raw-request.ts'
import type { FileProtocol } from './file-protocol.ts'

export interface StorageTarget {
  readonly hub: FakeHub
  /** The URL at which the played hub serves its documents. */
  readonly hubUrl: string
  readonly client: RawClient
  readonly files: FileProtocol
  /** Seconds after which the server must know of a revocation or a new key. */
  readonly maxRevokeSeconds: number
  /** Seconds after which the server must reject requests if the hub is silent. */
  readonly maxStaleSeconds: number
  /** More than the server verifies per minute for one address. */
  readonly forgedTokens: number
  /** Moves the clock of hub and server, if they share one. Otherwise time passes by itself. */
  readonly passTime?: (seconds: number) => void
}

export interface StorageRequest {
  /** Names its difference from a usual request, for the report. */
  readonly about?: string
  /** By default GET, or POST with a body. */
  readonly method?: string
  readonly target: string
  /** Sent as `Authorization: Bearer`. */
  readonly token?: string
  readonly headers?: readonly HeaderLine[]
  readonly body?: string | Uint8Array
}

export const bert = 'models/conform/bert'

/** No storage has this content. */
export const someHash = '0123456789abcdef'.repeat(4)
export const readPath = `/v1/reconstructions/${someHash}`
export const writePath = `/v1/xorbs/default/${someHash}`

/** A path of the storage below the prefix of a repository and ref. */
export function at(
  { hub }: StorageTarget,
  path: string = readPath,
  repository: string = bert,
  ref = 'main',
): string {
  return `${hub.path(repository, ref)}${path}`
}

export function tokenOf({ hub }: StorageTarget, request: TokenRequest = {}): string {
  return hub.token({ repository: bert, ...request })
}

export function send(
  { client }: StorageTarget,
  { method, target, token, headers = [], body }: StorageRequest,
): Promise<RawResponse> {
  const bearer: readonly HeaderLine[] =
    token === undefined ? [] : [['Authorization', `Bearer ${token}`]]
  return client.send({
    method: method ?? (body === undefined ? 'GET' : 'POST'),
    target,
    headers: [...bearer, ...headers],
    ...(body !== undefined && { body }),
  })
}

const refusalStatuses = [401, 403, 429, 503]

/** Whether the gate let the request pass: the storage behind it may still have no such content. */
export function isAdmitted(response: RawResponse): boolean {
  if (refusalStatuses.includes(response.status)) return false
  return response.status !== 400 || problemOf(response)['code'] !== 'bad_request'
}

/** As `401 storage_token_invalid`; `or` divides responses that hold the same clause. */
export type ExpectedResponse = 'admitted' | `${number} ${string}`

/** A request and the response that the clause demands. */
export type RequestRow = readonly [request: StorageRequest, expected: ExpectedResponse]

/** The fault of the first request with another response. */
export async function firstFault(
  target: StorageTarget,
  rows: readonly RequestRow[],
): Promise<Fault | undefined> {
  for (const [request, expected] of rows) {
    const fault = faultOf(request, await send(target, request), expected)
    if (fault !== undefined) return fault
  }
  return undefined
}

export function faultOf(
  request: StorageRequest,
  response: RawResponse,
  expected: ExpectedResponse,
): Fault | undefined {
  const holds = expected === 'admitted' ? isAdmitted(response) : isOutcome(response, expected)
  return holds ? undefined : unlike(request, expected, outcomeOf(response))
}

export function unlike(request: StorageRequest, expected: string, got: string): Fault {
  return { expected, got, request: lineOf(request) }
}

export function lineOf({ method, body, target, about }: StorageRequest): string {
  const verb = method ?? (body === undefined ? 'GET' : 'POST')
  return about === undefined ? `${verb} ${target}` : `${verb} ${target} (${about})`
}

/** Sends the request until its response is the expected one; a fault if it is not within the time. */
export async function eventually(
  target: StorageTarget,
  [request, expected]: RequestRow,
  maxSeconds: number,
): Promise<Fault | undefined> {
  const work = async () => faultOf(request, await send(target, request), expected)
  const fault = await waitFor(target, work, maxSeconds)
  return fault && { ...fault, expected: `${expected} within ${maxSeconds} s` }
}

const stepMs = 250

/** Undefined as soon as the work returns undefined; otherwise its last result. */
export async function waitFor<Result>(
  target: StorageTarget,
  work: () => Promise<Result | undefined>,
  maxSeconds: number,
): Promise<Result | undefined> {
  const { passTime } = target
  const steps = passTime === undefined ? (maxSeconds * 1000) / stepMs : maxSeconds
  for (let step = 0; ; step++) {
    const result = await work()
    if (result === undefined || step >= steps) return result
    if (passTime === undefined) await delay(stepMs)
    else passTime(1)
  }
}
