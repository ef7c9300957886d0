/** A hub before a forge of the test's own. */

import { setTimeout as pause } from 'node:timers/promises'
import type { AtEnd } from '@latchkey/testing/gate/gateway'
import {
  type AnswerRequest,
  type RecordingUpstream,
  recordingUpstream,
} from '@latchkey/testing/http/recording-upstream'
import { acme } from '@latchkey/testing/hub/acme'
import type { SettingsChange } from '@latchkey/testing/hub/hub-settings'
import { startWorld, type World } from '@latchkey/testing/hub/world'
import { onTestFinished } from 'vitest'

export interface Stage {
  readonly world: World
  readonly forge: RecordingUpstream
}

export async function openStage(
  answer: AnswerRequest = (_, response) => response.end('from the forge'),
  change: SettingsChange = {},
  atEnd: AtEnd = onTestFinished,
): Promise<Stage> {
  const forge = await recordingUpstream(answer, atEnd)
  return { forge, world: await openBefore(() => forge.url, change, atEnd) }
}

/** Before a forge that may not run. */
export async function openBefore(
  url: () => string | undefined,
  change: SettingsChange = {},
  atEnd: AtEnd = onTestFinished,
): Promise<World> {
  const world = await startWorld(acme, change, { forge: { url } })
  atEnd(() => world.close())
  return world
}

/** A number that grows, once it has stood still for a while. */
export async function settled(number: () => number): Promise<number> {
  for (let before = -1; ; before = number()) {
    await pause(300)
    if (number() === before) return before
  }
}
