/** Starts a storage that follows its hub over HTTP. */

import { type KeySource, readKeySet } from '@latchkey/gate'
import { openStore } from '@latchkey/hub/management'
import { metricsKit } from '@latchkey/service/metrics'
import { type RunningStorage, startStorage } from '@latchkey/storage'
import type { StorageOrder } from './messages.ts'

/** Until the storage has its own database and link, it opens the hub's and asks for the keys alone. */
export async function startLinkedStorage(order: StorageOrder): Promise<RunningStorage> {
  const { settings, hubUrl, blobUrlKey } = order
  const place = { data: settings.data, database: 'sqlite:latchkey.db' }
  const store = openStore(place, { create: true, busyTimeoutMs: 50 })
  const { registry } = metricsKit()
  const beside = { store, blobUrlKey, registry, keys: keysOf(hubUrl) }
  try {
    const storage = await startStorage(settings, { beside })
    const stop = async () => {
      await storage.stop()
      store.close()
    }
    return { ...storage, stop }
  } catch (error) {
    store.close()
    throw error
  }
}

function keysOf(hubUrl: string): KeySource {
  let keys: Awaited<ReturnType<typeof readKeySet>> | undefined
  return {
    known: () => keys,
    async refresh() {
      const answer = await fetch(`${hubUrl}/.well-known/jwks.json`).catch(() => undefined)
      if (answer?.ok) keys = await readKeySet(await answer.json())
    },
  }
}
