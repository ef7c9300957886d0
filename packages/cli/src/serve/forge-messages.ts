/** The order of the process of a forge. */

import type { ForgeSettings } from '@latchkey/forge'
import { Secret } from '@latchkey/protocol'
import {
  isBoolean,
  isNumber,
  isText,
  listOf,
  oneOf,
  orNothing,
  shapeOf,
} from '@latchkey/service/machine/child/messages'
import { logLevels } from '@latchkey/service/observe/log'
import type { ForgeOrder } from '../configuration/forge-settings.ts'
import { type CompanionProtocol, companionTalk } from './companion-messages.ts'

type Bounds = NonNullable<ForgeSettings['bounds']>

/** Without the credential, which is a secret. */
type PlainPlace = Omit<ForgeSettings['hub'], 'credential'>

/** Tests alone set the rest. */
interface PlainSettings
  extends Omit<ForgeSettings, 'hub' | 'gitProgram' | 'gitBounds' | 'bodyLimits'> {
  readonly hub: PlainPlace
}

/** Secrets come beside them. */
const isForgeSettings = shapeOf<PlainSettings>({
  host: isText,
  port: isNumber,
  portFlag: orNothing(isText),
  hub: shapeOf<PlainPlace>({ hubUrl: isText, allowPlainHttp: isBoolean }),
  publicUrl: isText,
  data: isText,
  bounds: orNothing(
    shapeOf<Bounds>({
      commitBytes: orNothing(isNumber),
      pushBytes: orNothing(isNumber),
      repositoryBytes: orNothing(isNumber),
      savingMs: orNothing(isNumber),
      reservedBytes: orNothing(isNumber),
    }),
  ),
  allowedHosts: listOf(isText),
  trustedProxies: listOf(isText),
  limits: shapeOf<ForgeSettings['limits']>({ connections: isNumber }),
  operations: orNothing(
    shapeOf<NonNullable<ForgeSettings['operations']>>({ host: isText, port: orNothing(isNumber) }),
  ),
  log: shapeOf<ForgeSettings['log']>({ level: oneOf(...logLevels) }),
  stopDeadlineSeconds: isNumber,
})

/** The order as it crosses, with its secret. */
interface PlainOrder extends Omit<ForgeOrder, 'settings'> {
  readonly settings: PlainSettings
  readonly credential: string
}

const isPlainOrder = shapeOf<PlainOrder>({
  settings: isForgeSettings,
  caCertificates: orNothing(listOf(isText)),
  credential: isText,
})

export const forgeProtocol: CompanionProtocol<ForgeOrder> = {
  ...companionTalk,
  writeOrder({ settings, ...order }) {
    const { hub, ...rest } = settings
    const { credential, ...place } = hub
    const plain = { ...rest, hub: place }
    return { ...order, settings: plain, credential: credential.reveal() } satisfies PlainOrder
  },
  readOrder(value) {
    if (!isPlainOrder(value) || value.credential === '') return undefined
    const { settings, credential, ...order } = value
    const hub = { ...settings.hub, credential: new Secret('hub-token', credential) }
    return { ...order, settings: { ...settings, hub } }
  },
}
