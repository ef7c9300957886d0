/** A directory file cannot take the last administrator away, neither by what it says nor by what it leaves out. */

import type { Refusal } from '@latchkey/protocol'
import { administers, lastAdministrator, mayDisable } from '../nouns/administrators.ts'
import { type Applying, at } from './applying.ts'

export function keepAdministrator({
  work,
  administrator,
  accounts,
}: Applying): Refusal | undefined {
  if (administrator === undefined || Array.from(accounts.values()).some(administers)) {
    return undefined
  }
  const isDisabled = accounts.get(administrator.toLowerCase())?.administrator === 1
  if (isDisabled && mayDisable(work.actor)) return undefined
  return at(['accounts'], lastAdministrator(administrator))
}
