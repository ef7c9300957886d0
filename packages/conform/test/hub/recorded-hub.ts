/** Our own hub on the world. Its responses are recorded, so that many runs with a defect each cost one. */

import { startWorld } from '@latchkey/testing/hub/world'
import type { CheckResult } from '../../src/check.ts'
import { profiles } from '../../src/check.ts'
import { hubChecks } from '../../src/hub/hub-checks.ts'
import type { HubTarget } from '../../src/hub/hub-target.ts'
import { world } from '../../src/hub/world.ts'
import { runChecks } from '../../src/run-checks.ts'
import { type RawRequest, type RawResponse, rawClient } from '../../src/wire/raw-request.ts'

export type Ask = (request: RawRequest) => Promise<RawResponse>

/** Stands before the hub: changes requests or responses, or both. */
export type Defect = (
  request: RawRequest,
  ask: Ask,
  tokenNames: ReadonlyMap<string, string>,
) => Promise<RawResponse>

export interface RecordedHub {
  run(defect?: Defect): Promise<readonly CheckResult[]>
  close(): Promise<void>
}

export async function openRecordedHub(): Promise<RecordedHub> {
  const hidden = { hidePrivateRepositories: true, anonymousPublicRead: true }
  const started = await startWorld(world, { ...hidden, compat: { huggingface: true } })
  await started.apply({
    accounts: [{ name: 'keeper', administrator: true }],
    hubTokens: [{ account: 'keeper', name: 'admin', kind: 'admin' }],
  })
  const administer = async (path: string, body: object): Promise<void> => {
    const response = await fetch(`${started.hub.url}/admin/v1/${path}`, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${started.tokens['keeper/admin']?.reveal()}`,
        'content-type': 'application/json',
      },
      body: JSON.stringify(body),
    })
    if (!response.ok) throw new Error(`${path}: ${await response.text()}`)
  }
  const client = rawClient(started.hub.url)
  const tokens = new Map(
    Object.entries(started.tokens).map(([name, token]) => [name, token.reveal()]),
  )
  const names = new Map(Array.from(tokens, ([name, token]) => [token, name]))
  const recorded = new Map<string, Promise<RawResponse>>()
  const finished = new Set<string>()

  /** The clock of the hub stands still, but Node writes the time of the machine. */
  const exchange = async (request: RawRequest): Promise<RawResponse> => {
    const response = await client.send(request)
    const date = new Date(started.now() * 1000).toUTCString()
    return { ...response, headers: { ...response.headers, date } }
  }

  const run = async (defect: Defect = (request, ask) => ask(request)) => {
    let [checkId, counts] = ['', new Map<string, number>()]
    const ask: Ask = (request) => {
      const line = `${checkId} ${JSON.stringify(request)}`
      const count = (counts.get(line) ?? 0) + 1
      counts.set(line, count)
      const key = `${count} ${line}`
      const response = recorded.get(key) ?? exchange(request)
      recorded.set(key, response)
      return response
    }
    /** The first run changes the hub; the others see its responses. */
    const once = async (change: () => Promise<unknown>) => {
      if (!finished.has(checkId)) await change()
      finished.add(checkId)
    }
    const target: HubTarget = {
      ...{ tokens, basePath: '', seenTokens: new Set() },
      client: { send: (request) => defect(request, ask, names) },
      rotate: () => once(() => administer('keys/rotate', {})),
      revoke: (token) => once(() => administer('revocations/token', { token })),
    }
    const checks = hubChecks.map((check) => ({
      ...check,
      run: (hub: HubTarget) => {
        checkId = check.id
        counts = new Map()
        return check.run(hub)
      },
    }))
    return runChecks(checks, target, { profiles })
  }
  return {
    run,
    async close() {
      client.close()
      await started.close()
    },
  }
}
