/** Which hub a gate or a client speaks with, and how. */

import * as kinds from './kind.ts'
import { option } from './option.ts'

export const whichHubOptions = {
  hub: option<string | undefined>({
    group: 'Hub',
    takers: ['gate', 'client'],
    kind: kinds.serviceUrl,
    default: undefined,
    defaultText: 'for clients the one logged in to last; must be given to the gate',
    summary: 'The hub that gives the storage tokens; the gate accepts its tokens only.',
  }),
  allowPlainHttp: option<boolean>({
    group: 'Hub',
    takers: ['gate', 'client'],
    kind: kinds.onOff,
    default: false,
    summary:
      'Speak with a hub on another machine without https: whoever stands between can read tokens, or change the keys that open the gate.',
  }),
} as const
