/** Identifies the caller of a request, does its work, and writes one line about it. */

import type { IncomingMessage } from 'node:http'
import { type AnyId, isRefusal, type Refusal } from '@latchkey/protocol'
import type { Call } from './call.ts'
import type { ClientAddress } from './client-address.ts'

export interface Identified<Caller, Logged> {
  readonly result: Caller | Refusal
  readonly caller?: Logged | undefined
  /** Known to the log, and refused. */
  readonly refusedCaller?: Logged | undefined
}

/** Stands last in the line of every call. */
export interface CallEnd {
  readonly address: string
  readonly requestId: AnyId
  readonly milliseconds: number
}

export interface ServeLoggedDeps<Caller, Logged, Result> {
  readonly clientAddress: ClientAddress
  identify(request: IncomingMessage): Promise<Identified<Caller, Logged>>
  work(caller: Caller): Promise<Result | Refusal>
  log(result: Result | Refusal, caller: Logged | undefined, end: CallEnd): void
}

export async function serveLogged<Caller, Logged, Result>(
  call: Call,
  { clientAddress, identify, work, log }: ServeLoggedDeps<Caller, Logged, Result>,
): Promise<Result | Refusal> {
  const { request, requestId } = call
  const startedAt = performance.now()
  const address = clientAddress(request)
  const identified = await call.attempt(() => identify(request))
  const {
    result: found,
    caller,
    refusedCaller = caller,
  } = isRefusal(identified) ? { result: identified } : identified
  const result = isRefusal(found) ? found : await call.attempt(() => work(found))
  const milliseconds = Math.round((performance.now() - startedAt) * 1000) / 1000
  log(result, refusedCaller, { address, requestId, milliseconds })
  return result
}
