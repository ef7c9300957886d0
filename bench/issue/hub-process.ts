/** A hub on a directory that is there already, as one side of a benchmark. */

import { startHub } from '@latchkey/hub'
import { Secret } from '@latchkey/protocol'
import { readPostgresSettings } from '@latchkey/service/postgres'
import { testSettings } from '@latchkey/testing/hub/hub-settings'
import type { HubOrder } from './directory.ts'

process.once('message', async ({ data, url, trustsLoopback }: HubOrder) => {
  const settings = testSettings(data, {
    publicUrl: 'http://127.0.0.1:8080',
    casUrl: 'http://127.0.0.1:8081/r/{repo}/{ref}',
    // One hub token stands for a whole load here; the counting itself stays on.
    limits: { requestsPerMinute: 1_000_000_000 },
    log: { level: 'info' },
    // Hubs that share a directory share its master key.
    masterKey: new Secret('master-key', Buffer.alloc(32, 'bench').toString('base64')),
    ...(trustsLoopback && { trustedProxies: ['127.0.0.1'] }),
    ...(url !== undefined && { database: readPostgresSettings(url) }),
  })
  const hub = await startHub(settings)
  process.send?.(Number(new URL(hub.url).port))
})
process.on('disconnect', () => process.exit())
