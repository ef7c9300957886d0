/** Storage requests as a server would hand them to the gate. */

import { casUrl, issuer, keys, movedClock, prefix } from '@latchkey/testing/gate/storage-tokens'
import { onTestFinished } from 'vitest'
import { createGate, type Gate } from '../../src/check/create-gate.ts'
import type { GateOptions, OtherOptions } from '../../src/check/options.ts'
import type { GateRequest } from '../../src/request/read-request.ts'

/** A read below main of bert. */
export const readPath = `${prefix}/v1/chunks/default/abc`
export const writePath = `${prefix}/v1/shards`

export function asking(
  authorization: string | undefined,
  change: Partial<GateRequest> = {},
): GateRequest {
  const headers = authorization === undefined ? [] : ['Authorization', authorization]
  return { method: 'GET', target: readPath, headers, ...change }
}

/** The code of the refusal, or `admitted`. */
export async function outcome(gate: Gate, request: GateRequest): Promise<string> {
  const checked = await gate.check(request)
  return checked.ok ? 'admitted' : checked.refusal.code
}

/** A gate that has its keys already. */
export function gateWith(change: OtherOptions = {}, options: Partial<GateOptions> = {}): Gate {
  const given = { keys, issuer, casUrl, clock: movedClock().now, ...options, ...change }
  return createGate(given as GateOptions)
}

/** A gate that stops polling its hub at the end of the test. */
export function closing(gate: Gate): Gate {
  onTestFinished(() => gate.close())
  return gate
}
