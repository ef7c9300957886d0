/** The refusal of a hub that cannot open any key it may sign with. */

import { refuse } from '@latchkey/protocol'

export const noKeyToSign = refuse(
  'not_ready',
  'This hub has no key that it can sign with: the keys of its directory are encrypted with another master key than its own. Its operator starts it again with that one; then try again.',
  { retryAfterSeconds: 30 },
)
