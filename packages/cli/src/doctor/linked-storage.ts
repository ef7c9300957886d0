/** Whether a storage answers where clients are sent to, when the hub runs without its own. */

import {
  type Check,
  type Finding,
  goodFinding,
  skippedFinding,
  warningFinding,
  wrongFinding,
} from '@latchkey/service/checks'
import { textOf } from '../reading/members-of.ts'
import { ask } from './basis/ask-hub.ts'
import type { Installation } from './basis/installation.ts'

export const linkedStorage: Check<Installation> = {
  name: 'storage',
  async run({ settings, storage }) {
    if (storage !== undefined) return []
    const { origin } = new URL(settings.casUrl)
    const answer = await ask(`${origin}/readyz`)
    if ('reason' in answer) {
      return [
        warningFinding(
          `${origin} does not respond to this machine: ${answer.reason}`,
          'The hub sends clients there (casUrl): start the storage, or check that clients can reach it.',
        ),
      ]
    }
    return [readiness(origin, answer.status, textOf(answer.json?.['hub']))]
  },
}

function readiness(origin: string, status: number, hub: string | undefined): Finding {
  if (hub === undefined && status !== 503) {
    return skippedFinding(`${origin} responds, but does not report whether it is ready`)
  }
  if (status === 200 && hub === 'linked')
    return goodFinding(`${origin} is ready, and follows this hub`)
  if (hub === 'refuses') {
    return wrongFinding(
      `the hub of ${origin} rejects its credential`,
      'Give it a hub token of kind storage that is valid: docs/guides/separate-storage.md, "Storage credential".',
    )
  }
  return wrongFinding(
    `${origin} is not ready, or does not reach its hub`,
    'Its log says why (hub_unreachable, keys_not_fetched).',
  )
}
