/** Why the keys of a hub could not be fetched, as a log has it. */

import { tlsReason } from '@latchkey/service/http/tls-failure'

/** Why a question failed is in the cause of its error. The question has no secret, so neither has the message. */
export function keyFailure(error: unknown): { readonly reason: string } {
  const { message, cause } = error instanceof Error ? error : new Error(String(error))
  if (!(cause instanceof Error)) return { reason: message }
  const advice = 'code' in cause ? tlsReason(cause.code) : undefined
  const more = advice === undefined ? '' : ` (${advice})`
  return { reason: `${message}: ${cause.message}${more}` }
}
