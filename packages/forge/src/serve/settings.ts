/** The settings of a forge, already checked. */

import type { OptionTypes } from '@latchkey/protocol'
import type { ShareLimits } from '@latchkey/service/limits/shares'
import type { LogLevel } from '@latchkey/service/observe/log'
import type { GitBounds } from '../git/index.ts'
import type { ForgeBounds } from '../handler/exchange.ts'
import type { LinkPlace } from '../link/ask-link.ts'

export interface ForgeSettings {
  readonly host: string
  readonly port: number
  /** The flag that chooses the port, for the message that it is taken. */
  readonly portFlag?: string
  /** Where the forge finds its hub. */
  readonly hub: Pick<LinkPlace, 'hubUrl' | 'credential' | 'allowPlainHttp'>
  /** The address of the hub as clients know it; never taken from a request. */
  readonly publicUrl: string
  /** The repositories lie in `repositories` below it. */
  readonly data: string
  readonly bounds?: Partial<ForgeBounds> | undefined
  /** The git to use; the first in PATH, where left out. */
  readonly gitProgram?: string | undefined
  readonly gitBounds?: Partial<GitBounds> | undefined
  /** In bytes: bodies that are held in memory. Left out: a part of the heap. */
  readonly bodyLimits?: ShareLimits | undefined
  /** Host names that requests may come under beside that of `publicUrl`; `*` is every one. */
  readonly allowedHosts: readonly string[]
  /** Hubs and proxies that forward requests: they name the client and the request. */
  readonly trustedProxies: readonly string[]
  readonly limits: { readonly connections: number }
  /** `/healthz`, `/readyz` and `/metrics`, by a listener of their own or, without a port, beside the rest. Left out: nowhere. */
  readonly operations?: { readonly port: number | undefined; readonly host: string } | undefined
  readonly log: { readonly level: LogLevel }
  readonly stopDeadlineSeconds: number
}

export const settingTypes: OptionTypes<ForgeSettings> = {
  ...{ host: 'string', port: 'number', portFlag: 'string', publicUrl: 'string', data: 'string' },
  hub: { hubUrl: 'string', credential: 'object', allowPlainHttp: 'boolean' },
  ...{ bounds: 'object', gitProgram: 'string', gitBounds: 'object', bodyLimits: 'object' },
  ...{ allowedHosts: 'object', trustedProxies: 'object' },
  limits: { connections: 'number' },
  operations: { port: 'number', host: 'string' },
  log: { level: 'string' },
  stopDeadlineSeconds: 'number',
}
