/** Opens the forge beside a hub. */

import type { HubSettings, OpenForge } from '@latchkey/hub'
import { tell } from '../output/tell.ts'

/** Without git there is none, and everything else runs. */
export function forgeBeside({ data, publicUrl }: HubSettings): OpenForge {
  return async (hub, around) => {
    const { GitUnavailable, openForge } = await import('@latchkey/forge')
    try {
      return await openForge({ hub, data, publicUrl, ...around })
    } catch (error) {
      if (!(error instanceof GitUnavailable)) throw error
      tell(`warning: repositories are not served: ${error.message}`)
      return undefined
    }
  }
}
