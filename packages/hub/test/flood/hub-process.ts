/** A hub in a process of its own, so that its clients do not share its event loop. */

import { acme } from '@latchkey/testing/hub/acme'
import { startWorld } from '@latchkey/testing/hub/world'

export interface HubProcess {
  readonly url: string
  /** Hub tokens by `account/name`. */
  readonly tokens: Readonly<Record<string, string>>
}

const world = await startWorld(acme, { limits: { failuresPerMinute: 300, requestsPerMinute: 0 } })
const tokens = Object.entries(world.tokens).map(([name, token]) => [name, token.reveal()])
process.once('disconnect', () => world.close())
process.send?.({ url: world.hub.url, tokens: Object.fromEntries(tokens) } satisfies HubProcess)
