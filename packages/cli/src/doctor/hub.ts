/** Whether the hub runs, is ready, and is of this program's version. */

import { type Check, type Finding, good, skipped, warning, wrong } from '@latchkey/service/checks'
import manifest from '../../package.json' with { type: 'json' }
import type { Installation } from './basis/installation.ts'

export const hub: Check<Installation> = {
  name: 'hub',
  async run(installation) {
    const answer = await installation.hub()
    switch (answer.kind) {
      case 'unknown address':
        return [skipped('not asked, because each start takes another port (0)')]
      case 'away':
        return [warning(`nothing listens at ${answer.url}`, 'Start it: latchkey serve')]
      case 'silent':
        return [
          wrong(
            `${answer.url} does not answer: ${answer.reason}`,
            'Look at the log of the hub, and whether its process is stopped or overloaded.',
          ),
        ]
      case 'stranger':
        return [
          wrong(
            `what answers at ${answer.url} is no hub`,
            'Another program has the port: end it, or choose another with --port.',
          ),
        ]
      case 'answers':
        return [readiness(answer), ...otherVersion(answer)]
    }
  },
}

interface Answer {
  readonly url: string
  readonly isReady: boolean
  readonly detail: string | undefined
  readonly version: string | undefined
}

function readiness({ url, isReady, detail, version }: Answer): Finding {
  if (isReady) return good(`${url} is ready, version ${version ?? 'unknown'}`)
  const reason = detail === undefined ? '' : `: ${detail}`
  return wrong(`${url} answers, but is not ready${reason}`, 'Its log says why.')
}

function otherVersion({ url, version }: Answer): readonly Finding[] {
  if (version === undefined || version === manifest.version) return []
  return [
    warning(
      `${url} has version ${version}, and this command ${manifest.version}`,
      'Restart the hub after an upgrade, or run the command of its version.',
    ),
  ]
}
