/** After a failover to a server that lacks the last revocations, a hub publishes nothing before it has ended every token. */

import { rounds } from '@latchkey/testing/chance'
import { type Cluster, startCluster } from '@latchkey/testing/postgres/cluster'
import { startReplica } from '@latchkey/testing/postgres/replica'
import { throughPort } from '@latchkey/testing/postgres/through-port'
import { isPostgresMissing } from '@latchkey/testing/tools/postgres-programs'
import { expect, onTestFinished, test } from 'vitest'
import { movableLine } from './movable-line.ts'
import { type ServedHub, serveHub } from './served-hub.ts'

const isMissing = isPostgresMissing('no hub meets a failover')

/** Keeps hubs from comparing the server, and from nothing else: for as long, every route is in the window. */
const holdComparison = `begin; lock table latchkey_hub.settings in access exclusive mode; prepare transaction 'held'`

async function newToken(hub: ServedHub): Promise<string> {
  const response = await hub.requestToken()
  const { accessToken } = (await response.json()) as { accessToken: string }
  return accessToken
}

test.skipIf(isMissing)(
  'a revoked token stays revoked in every list that a hub publishes after a failover, also while reports arrive',
  async () => {
    const servers = [await startCluster({ settings: { max_prepared_transactions: '1' } })]
    onTestFinished(async () => void (await Promise.all(servers.map((server) => server.kill()))))
    let [primary] = servers as [Cluster]
    const database = await primary.createDatabase()
    const line = await movableLine(primary.port)
    const hub = await serveHub(throughPort(primary.url(database), line.port))
    for (let round = 0; round < rounds(1, 20); round += 1) {
      const replica = await startReplica(primary)
      servers.push(replica)
      const [revoked, reported] = [await newToken(hub), await newToken(hub)]
      await replica.catchUp()
      await replica.disconnect()
      expect((await hub.report(revoked)).status).toBe(202)
      expect(await hub.isRevoked(revoked)).toBe(true)

      await primary.kill()
      await replica.promote()
      // Every other round has the window as wide as it is in use.
      const isHeld = round % 2 === 0
      if (isHeld) await replica.sql(holdComparison, database)
      line.moveTo(replica.port)
      const answers: unknown[] = []
      const reports = [hub.report(reported), hub.report(reported)]
      const look = async () => void answers.push(await hub.isRevoked(revoked))
      await Promise.all([look(), look(), ...reports])
      await look()
      if (isHeld) {
        expect(answers).toEqual([undefined, undefined, undefined])
        await replica.sql(`rollback prepared 'held'`, database)
      }
      await expect.poll(() => hub.isRevoked(revoked), { interval: 50, timeout: 30_000 }).toBe(true)
      expect(answers).not.toContain(false)
      // The report that found no server can be sent again.
      await expect.poll(async () => (await hub.report(reported)).status).toBe(202)
      expect(await hub.isRevoked(reported)).toBe(true)
      expect((await hub.requestToken()).status).toBe(200)
      primary = replica
    }
  },
)
