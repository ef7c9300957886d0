/** After a failover to a server that lacks the last revocations, no gate admits a token that was revoked before. */

import { rounds } from '@latchkey/testing/chance'
import { type Cluster, startCluster } from '@latchkey/testing/postgres/cluster'
import { startReplica } from '@latchkey/testing/postgres/replica'
import { throughPort } from '@latchkey/testing/postgres/through-port'
import { isPostgresMissing } from '@latchkey/testing/tools/postgres-programs'
import { expect, onTestFinished, test } from 'vitest'
import { movableLine } from './movable-line.ts'
import { type ServedHub, serveHub } from './served-hub.ts'

const isMissing = isPostgresMissing('no hub meets a failover')

/** The question for the head, after which a hub compares another server: without it, every route is in the window. */
const comparingStatement = 'latchkey_head'

const patience = { interval: 50, timeout: 30_000 }

async function newToken(hub: ServedHub): Promise<string> {
  const response = await hub.requestToken()
  const { accessToken } = (await response.json()) as { accessToken: string }
  return accessToken
}

test.skipIf(isMissing)(
  'a running gate and new gates admit no token after a failover that was revoked before, also while reports arrive',
  async () => {
    const servers = [await startCluster()]
    onTestFinished(async () => void (await Promise.all(servers.map((server) => server.kill()))))
    let [primary] = servers as [Cluster]
    const database = await primary.createDatabase()
    const line = await movableLine(primary.port)
    const hub = await serveHub(throughPort(primary.url(database), line.port), {
      // However long the promotion takes, the hub does not stop because of it.
      stalenessSeconds: 60,
    })
    const running = hub.newGate()
    running.poll()
    for (let round = 0; round < rounds(1, 20); round += 1) {
      const replica = await startReplica(primary)
      servers.push(replica)
      const [revoked, reported] = [await newToken(hub), await newToken(hub)]
      expect(await running.judge(revoked)).toBe('admitted')
      await replica.catchUp()
      await replica.disconnect()
      expect((await hub.report(revoked)).status).toBe(202)
      await expect.poll(() => running.judge(revoked), patience).toBe('revoked')

      await primary.kill()
      await replica.promote()
      // Every other round has the window as wide as it is in use.
      const release = round % 2 === 0 ? line.hold(comparingStatement) : undefined
      line.moveTo(replica.port)
      const verdicts: string[] = []
      // A new gate has kept no entry: it knows what the hub publishes, and nothing else.
      const look = async (gate = hub.newGate()) => void verdicts.push(await gate.judge(revoked))
      const reports = [hub.report(reported), hub.report(reported)]
      await Promise.all([look(), look(), ...reports])
      await look()
      if (release) expect(verdicts).toEqual(Array(3).fill('gate_not_ready'))
      release?.()
      const fresh = hub.newGate()
      fresh.poll()
      const isPast = async () => {
        await Promise.all([look(), look(fresh), look(running)])
        return verdicts.at(-2)
      }
      await expect.poll(isPast, patience).toBe('revoked')
      expect(verdicts).not.toContain('admitted')
      // The report that found no server can be sent again.
      await expect.poll(async () => (await hub.report(reported)).status).toBe(202)
      const next = await newToken(hub)
      for (const gate of [running, fresh, hub.newGate()]) {
        await expect.poll(() => gate.judge(next), patience).toBe('admitted')
        expect(await gate.judge(revoked)).toBe('revoked')
        expect(await gate.judge(reported)).toBe('revoked')
      }
      primary = replica
    }
  },
)
