/** Whether the embedded storage answers where clients are sent to. A forge asks it there, too. */

import { type Check, goodFinding, warningFinding, wrongFinding } from '@latchkey/service/checks'
import { tlsReason } from '@latchkey/service/http/ask'
import { textOf } from '../reading/members-of.ts'
import { ask } from './basis/ask-hub.ts'
import type { Installation } from './basis/installation.ts'

export const storageAddress: Check<Installation> = {
  name: 'storage',
  async run({ configuration, settings, storage, forge, hub }) {
    if (storage === undefined || configuration.values.casUrl === undefined) return []
    const running = await hub()
    // A storage that does not run is told of already.
    if (running.kind !== 'answers' || running.storage !== 'ready') return []
    const { origin } = new URL(settings.casUrl)
    const answer = await ask(withIds(settings.casUrl))
    const isNeeded = forge.isServed
    if ('reason' in answer) {
      const found = `${origin} does not answer this machine: ${tlsReason(answer.reason) ?? answer.reason}`
      return [
        isNeeded
          ? wrongFinding(
              found,
              'Downloads by way of the hub fail: it asks its storage at casUrl, too.',
            )
          : warningFinding(found, 'Clients are sent there (casUrl): look whether they reach it.'),
      ]
    }
    if (textOf(answer.json?.['code']) === 'storage_token_missing') {
      return [goodFinding(`${origin} leads to it`)]
    }
    return [
      wrongFinding(
        `what answers at ${origin} is not this storage (status ${answer.status})`,
        'Let the proxy forward casUrl to it, unchanged: docs/guides/tls-proxy.md.',
      ),
    ]
  },
}

/** An address that the storage refuses because the request has no token. */
function withIds(casUrl: string): string {
  return `${casUrl.replace('{repo}', 'a').replace('{ref}', 'b')}/v1/chunks/default/0`
}
