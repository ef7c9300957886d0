/** No two listeners of one process have the same address. */

import { wrongUsage } from '../output/stop.ts'
import type { OptionKey } from './options.ts'
import type { Configuration } from './read-configuration.ts'
import { storagePortOf } from './storage-settings.ts'

interface Listens {
  readonly key: OptionKey
  readonly what: string
  readonly host: string
  readonly port: number
}

export function refuseSharedPort({ values, called }: Configuration, hubPort: number): void {
  const { host, storage, 'operations.host': operationsHost, 'operations.port': operations } = values
  const all: readonly Listens[] = [
    { key: 'port', what: 'the hub', host, port: hubPort },
    ...(storage
      ? [{ key: 'storagePort', what: 'the storage', host, port: storagePortOf(values) } as const]
      : []),
    ...(operations === undefined
      ? []
      : [
          {
            key: 'operations.port',
            what: 'operations',
            host: operationsHost,
            port: operations,
          } as const,
        ]),
  ]
  for (const [index, one] of all.entries()) {
    const other = all.slice(0, index).find((earlier) => isShared(one, earlier))
    if (other === undefined) continue
    const name = called.get(one.key) ?? called.get(other.key) ?? one.key
    throw wrongUsage(
      `${name}: ${other.what} and ${one.what} cannot both listen on port ${one.port}; choose another for one of them`,
    )
  }
}

const everyAddress = ['0.0.0.0', '::']

function isShared(one: Listens, other: Listens): boolean {
  if (one.port !== other.port || one.port === 0) return false
  return (
    one.host === other.host || [one.host, other.host].some((host) => everyAddress.includes(host))
  )
}
