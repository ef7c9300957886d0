/** Decides whether a caller may use a verb of the admin API. */

import type { VerbGroup } from '@latchkey/admin-api'
import { type Refusal, refuse } from '@latchkey/protocol'
import type { Caller } from '../identity/caller.ts'
import { mayUse } from '../verbs/administrators.ts'

export function admit(caller: Caller, group: VerbGroup): Refusal | undefined {
  if (caller.kind !== 'admin') {
    return lacking(
      `The admin API takes hub tokens of kind admin; this one is ${caller.kind}.`,
      'a hub token of kind admin',
      'Use an admin hub token.',
    )
  }
  if (!caller.administrator) {
    return lacking(
      'The account of this hub token is no administrator any more.',
      'an account that is an administrator',
      'Use an admin hub token of an administrator.',
    )
  }
  if (mayUse(caller, group)) return undefined
  return lacking(
    `This hub token is limited to verb groups, and "${group}" is not one of them.`,
    `the verb group ${group}`,
    'Use an admin hub token with that group, or one without limits.',
  )
}

function lacking(detail: string, missing: string, advice: string): Refusal {
  return refuse('permission_denied', `${detail} ${advice}`, { missing })
}
