/** A hub token and its account, as they are shown to a caller that asks with it. */

import { z } from 'zod'
import { account } from './accounts.ts'
import { hubToken } from './hub-tokens.ts'

export const whoami = z.object({
  account: account.pick({ name: true, kind: true, administrator: true }),
  hubToken,
})

export type Whoami = z.output<typeof whoami>
