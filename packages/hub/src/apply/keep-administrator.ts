/** A directory file cannot take the last administrator away, neither by what it says nor by what it leaves out. */

import type { Refusal } from '@latchkey/protocol'
import { administers, lastAdministrator, mayDisable } from '../verbs/administrators.ts'
import { at, type Planning } from './planning.ts'

export function keepAdministrator({
  work,
  administrator,
  accounts,
}: Planning): Refusal | undefined {
  const left = Array.from(accounts.values()).filter((row) => row.administrator === 1)
  if (administrator === undefined || left.some(administers)) return undefined
  if (administrator.disabled === 1 && left.length > 0) return undefined
  const isDisabled = accounts.get(administrator.name.toLowerCase())?.administrator === 1
  if (isDisabled && mayDisable(work.actor)) return undefined
  return at(['accounts'], lastAdministrator(administrator))
}
