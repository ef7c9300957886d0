/** A storage behind a real proxy that asks a gate. */

import type { Addresses } from './nginx.ts'
import type { RunningProgram } from './running-program.ts'
import { openStorage, type RecordingStorage } from './storage.ts'

export interface Guarded {
  /** Where the proxy listens. */
  readonly url: string
  readonly storage: RecordingStorage
}

export interface GuardedStorage<Asked> extends Guarded {
  readonly gate: Asked
  /** The proxy's own, removed at the end. */
  readonly folder: string
  /** Ends the proxy, the storage and the gate. */
  close(): Promise<void>
}

interface AnyGate {
  readonly address: string
  close(): Promise<void>
}

export async function openGuarded<Asked extends AnyGate>(
  run: (addresses: Addresses) => Promise<RunningProgram>,
  gate: Asked,
): Promise<GuardedStorage<Asked>> {
  const storage = await openStorage()
  const proxy = await run({ gate: gate.address, storage: storage.address })
  const close = async () => {
    await proxy.stop()
    await storage.close()
    await gate.close()
  }
  return { url: proxy.url, storage, gate, folder: proxy.folder, close }
}
