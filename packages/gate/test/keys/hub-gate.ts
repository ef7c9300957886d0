/** A gate that fetches its keys from a hub, under a clock moved by hand. */

import { randomBytes } from 'node:crypto'
import type { ScriptedHub } from '@latchkey/testing/gate/gateway'
import { scriptedHub } from '@latchkey/testing/gate/gateway'
import {
  casUrl,
  issuer,
  type MovedClock,
  movedClock,
  signingKey,
  token,
} from '@latchkey/testing/gate/storage-tokens'
import { createGate, type Gate } from '../../src/check/create-gate.ts'
import { fetchKeys } from '../../src/keys/fetch-keys.ts'
import { hubKeys } from '../../src/keys/hub-keys.ts'

export interface HubGate {
  readonly hub: ScriptedHub
  readonly gate: Gate
  readonly clock: MovedClock
  readonly failures: unknown[]
}

export async function openHubGate(hubUrl?: string): Promise<HubGate> {
  const hub = await scriptedHub()
  const clock = movedClock()
  const failures: unknown[] = []
  const keys = hubKeys({
    fetchKeys: () => fetchKeys(hubUrl ?? hub.url),
    clock: clock.now,
    onFailure: (error) => failures.push(error),
    wait: async (seconds) => clock.pass(seconds),
  })
  // Without revocations, which a gate forgets a minute after its hub is gone.
  const gate = createGate({ keys, issuer, casUrl, clock: clock.now })
  return { hub, gate, clock, failures }
}

/** Well-formed in every way, but naming a key that nobody has. */
export function tokenOfUnknownKey(): string {
  const [, payload, signature] = token().split('.')
  const kid = randomBytes(32).toString('base64url')
  const header = JSON.stringify({ alg: signingKey.alg, kid, typ: 'at+jwt' })
  return `${Buffer.from(header).toString('base64url')}.${payload}.${signature}`
}
