/** Whether the separate forge of a hub answers, and serves its repositories. */

import {
  type Check,
  goodFinding,
  skippedFinding,
  warningFinding,
  wrongFinding,
} from '@latchkey/service/checks'
import { textOf } from '../reading/members-of.ts'
import { ask } from './basis/ask-hub.ts'
import type { Installation } from './basis/installation.ts'

export const linkedForge: Check<Installation> = {
  name: 'forge',
  async run({ settings: { forgeUrl } }) {
    if (forgeUrl === undefined) return []
    const answer = await ask(`${forgeUrl}/readyz`)
    if ('reason' in answer) {
      return [
        warningFinding(
          `${forgeUrl} does not respond to this machine: ${answer.reason}`,
          'The hub forwards requests for repositories there (forge.url): start the forge, or correct the address.',
        ),
      ]
    }
    if (answer.status === 200) return [goodFinding(`${forgeUrl} is ready`)]
    if (answer.status !== 503) {
      return [skippedFinding(`${forgeUrl} responds, but does not report whether it is ready`)]
    }
    const reason = textOf(answer.json?.['detail'])?.slice(0, 500) ?? 'it does not say why'
    return [wrongFinding(`${forgeUrl} is not ready: ${reason}`, 'Look at the log of the forge.')]
  },
}
