/** Whether the processes that the hub runs beside it respond. */

import { type Check, type Finding, goodFinding, wrongFinding } from '@latchkey/service/checks'
import type { Installation } from './basis/installation.ts'

interface Companion {
  readonly name: 'storage' | 'forge'
  /** The settings have it. */
  readonly isWanted: boolean
  /** The option without it. */
  readonly without: string
}

async function findCompanion(
  { name, isWanted, without }: Companion,
  { hub }: Installation,
): Promise<readonly Finding[]> {
  const answer = await hub()
  // A hub that is not ready says nothing of its processes.
  if (!isWanted || answer.kind !== 'answers' || !answer.isReady) return []
  const { [name]: state } = answer
  if (state === 'ready') return [goodFinding('its process runs and is ready')]
  if (state === undefined) {
    return [
      wrongFinding(
        `the hub runs without a ${name}, and these settings have one`,
        `Run this command with the settings of the hub (${without}), or restart the hub.`,
      ),
    ]
  }
  return [
    wrongFinding(
      'its process does not respond, or is not ready',
      `The log says why (${name}_ended, ${events[name]}). The hub restarts a process that ended.`,
    ),
  ]
}

const events = { storage: 'hub_unreachable', forge: 'forge_not_ready' } as const

export const storage: Check<Installation> = {
  name: 'storage',
  run: (installation) =>
    findCompanion(
      { name: 'storage', isWanted: installation.storage !== undefined, without: '--no-storage' },
      installation,
    ),
}

export const forge: Check<Installation> = {
  name: 'forge',
  run: (installation) =>
    findCompanion(
      { name: 'forge', isWanted: installation.forge.isServed, without: '--no-forge' },
      installation,
    ),
}
