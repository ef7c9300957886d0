/** One address, several methods: which of them it serves, and what each of them means. */

import { type Refusal, refuse } from '@latchkey/protocol'

/** Clients know it from other hubs, and this one does not have it: `later` completes "Latchkey does not support …". */
export interface Later {
  readonly later: string
}

export type ByMethod<Meaning> = Readonly<Record<string, Meaning>>

/** HEAD means what GET means. */
export function byMethod<Meaning>(method: string, known: ByMethod<Meaning>): Meaning | Refusal {
  const asked = method === 'HEAD' ? 'GET' : method
  if (Object.hasOwn(known, asked)) return known[asked] as Meaning
  const allow = Object.keys(known)
    .flatMap((one) => (one === 'GET' ? ['GET', 'HEAD'] : [one]))
    .join(', ')
  return refuse('method_not_allowed', `This address is for ${allow}.`, { allow })
}
