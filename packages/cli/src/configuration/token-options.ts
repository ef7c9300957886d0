/** The options of storage tokens and of the keys that sign them. */

import * as kinds from './kind.ts'
import { option } from './option.ts'

export const tokenOptions = {
  'token.lifetimeSeconds': option<number>({
    group: 'Tokens',
    takers: ['serve'],
    kind: kinds.wholeNumber(120, 86_400),
    default: 900,
    summary: 'How long a storage token lives; never longer than the hub token that asked for it.',
  }),
  'token.algorithm': option<'ES256' | 'EdDSA'>({
    group: 'Tokens',
    takers: ['serve'],
    kind: kinds.choice(['ES256', 'EdDSA']),
    default: 'ES256',
    summary: 'The signature of storage tokens; ES256 is verified faster and known everywhere.',
  }),
  'keys.rotationDays': option<number>({
    group: 'Tokens',
    takers: ['serve'],
    kind: kinds.wholeNumber(0, 3650),
    default: 90,
    summary:
      'How many days a signing key signs: its successor is published at half of them and signs when a sixth is left; 0 makes no new key without "latchkey keys rotate".',
  }),
} as const
