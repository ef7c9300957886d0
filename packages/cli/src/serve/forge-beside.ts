/** Opens the forge beside a hub. */

import type { AttachService, HubSettings } from '@latchkey/hub'
import type { ForgeSettings } from '../configuration/hub-settings.ts'
import { tell } from '../output/tell.ts'

export interface ForgeBeside {
  readonly attach: AttachService
  /** False before it is opened, and where there is no git that can be used. */
  isServing(): boolean
}

/** Without git there is none, and everything else runs. */
export function forgeBeside(
  { data, publicUrl }: HubSettings,
  bounds: Partial<ForgeSettings> = {},
): ForgeBeside {
  let isServing = false
  return {
    isServing: () => isServing,
    async attach(hub, deps) {
      const { GitUnavailable, lockForge, openForge } = await import('@latchkey/forge')
      const lock = lockForge(data)
      try {
        const forge = await openForge({ hub, data, publicUrl, bounds, ...deps })
        isServing = true
        const close = () => forge.close().finally(lock.release)
        return { ...forge, close }
      } catch (error) {
        lock.release()
        if (!(error instanceof GitUnavailable)) throw error
        tell(`warning: the hub serves no repositories: ${error.message}`)
        return undefined
      }
    },
  }
}
