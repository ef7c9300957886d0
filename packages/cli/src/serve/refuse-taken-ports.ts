/** Looks whether the ports of a first start can be opened, before it makes its data directory. */

import { existsSync } from 'node:fs'
import type { HubSettings } from '@latchkey/hub'
import { type Port, refuseTakenPort } from '@latchkey/service/http/port'
import type { StorageSettings } from '@latchkey/storage'

/** Later starts find out by listening: their data directory is there, and no port is opened twice. */
export async function refuseTakenPorts(data: string, ports: readonly Port[]): Promise<void> {
  if (existsSync(data)) return
  for (const where of ports) await refuseTakenPort(where)
}

interface Watched {
  readonly operations?: { readonly host: string; readonly port?: number | undefined } | undefined
}

/** The listener for `/healthz`, `/readyz` and `/metrics`, where it is one of its own. */
export function operationsPort({ operations }: Watched): readonly Port[] {
  if (operations?.port === undefined) return []
  const { host, port } = operations
  return [{ host, port, portFlag: '--operations-port' }]
}

/** Ports of a hub, and of the processes beside it. */
export function portsOf(
  settings: HubSettings,
  {
    storage,
    forge,
  }: { readonly storage: StorageSettings | undefined; readonly forge: Port | undefined },
): readonly Port[] {
  const ports = [settings, ...operationsPort(settings)]
  const beside = storage && { portFlag: '--storage-port', ...storage }
  return [...ports, ...(beside ? [beside] : []), ...(forge ? [forge] : [])]
}
