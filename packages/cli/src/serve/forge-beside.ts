/** Opens the forge beside a hub. */

import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import type { HubSettings, OpenForge } from '@latchkey/hub'
import { CannotStart } from '@latchkey/service/machine/cannot-start'
import type { ForgeSettings } from '../configuration/hub-settings.ts'
import { tell } from '../output/tell.ts'
import { takeLock } from '../partial/exclusive-lock.ts'

export interface ForgeBeside {
  readonly open: OpenForge
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
    async open(hub, around) {
      const { GitUnavailable, openForge } = await import('@latchkey/forge')
      const lock = lockOf(data)
      try {
        const forge = await openForge({ hub, data, publicUrl, bounds, ...around })
        isServing = true
        const close = () => forge.close().finally(lock.release)
        return { ...forge, close }
      } catch (error) {
        lock.release()
        if (!(error instanceof GitUnavailable)) throw error
        tell(`warning: repositories are not served: ${error.message}`)
        return undefined
      }
    },
  }
}

/** A second forge would take the locks of the first one in git for those of a process that was killed. */
function lockOf(data: string) {
  const folder = join(data, 'forge')
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  const lock = takeLock(join(folder, 'lock'))
  if (lock !== undefined) return lock
  throw new CannotStart(
    `another hub serves the repositories of the data directory ${data}. Stop that one, or start this one with --no-forge.`,
  )
}
