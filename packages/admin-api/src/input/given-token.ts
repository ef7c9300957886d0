/** A storage token that is given to the hub: a secret from the first moment on. */

import { Secret } from '@latchkey/protocol'
import { z } from 'zod'

const longest = 4096
const threeParts = /^[\w-]+\.[\w-]+\.[\w-]+$/

/** Parsing turns it into a `Secret`; no message repeats it. A command takes it from standard input alone. */
export const givenToken = z
  .string()
  .refine(
    (text) => text.length <= longest && threeParts.test(text),
    'must be a storage token, as latchkey token prints it. A hub token is revoked by its id: find it with latchkey hub-token list (HINT is the 4 characters before the last 6), or post the hub token to /revoke',
  )
  .transform((text) => new Secret('access-token', text))
  .meta({ format: 'password', writeOnly: true })
