/** Which hub a storage, a gate or a client speaks with, and how. */

import * as kinds from './kind.ts'
import { option } from './option.ts'

export const whichHubOptions = {
  hub: option<string | undefined>({
    group: 'Hub',
    takers: ['storage', 'upkeep', 'gate', 'client'],
    kind: kinds.serviceUrl,
    default: undefined,
    defaultText: 'the one logged in to last; must be given to the gate and to a storage alone',
    summary: 'The hub that the storage tokens come from.',
    required: { storage: 'required', gate: 'required' },
  }),
  allowPlainHttp: option<boolean>({
    group: 'Hub',
    takers: ['storage', 'upkeep', 'gate', 'client'],
    kind: kinds.onOff,
    default: false,
    summary:
      'Speak with a hub on another machine without https: whoever stands between can read and change what is said, tokens and keys included.',
  }),
  caCert: option<string | undefined>({
    group: 'Hub',
    takers: ['storage', 'upkeep', 'gate', 'client', 'remote'],
    kind: kinds.file,
    default: undefined,
    defaultText: 'none; those that Node trusts',
    summary:
      'A PEM file with certificates to trust beside the usual ones: of your own issuer, or a self-signed one. It holds for hub and storage alike.',
  }),
} as const
