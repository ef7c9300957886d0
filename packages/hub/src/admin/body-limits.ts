/** How large the body of each verb may be: what its longest input needs. */

import type { Verb, Words } from '@latchkey/admin-api'
import type { BodyLimits } from '@latchkey/service/read-json-body'

const kib = 1024

const usualBytes = 64 * kib

const larger: Readonly<Partial<Record<Words, BodyLimits>>> = {
  // A file is planned in one go in places, so that a larger one would stop other requests.
  apply: {
    most: 512 * kib,
    advice: 'Apply a smaller file, or run `latchkey apply` on the machine of the hub.',
  },
  // 10 000 refs.
  'ref update': { most: 2048 * kib, advice: 'Send fewer refs at a time.' },
  // 1000 refs.
  'commit record': { most: 512 * kib, advice: 'Name fewer refs at a time.' },
  'hub-token create': { most: 512 * kib },
  'hub-token set': { most: 512 * kib },
}

export function bodyLimitOf({ words }: Pick<Verb, 'words'>): BodyLimits {
  return larger[words] ?? { most: usualBytes }
}
