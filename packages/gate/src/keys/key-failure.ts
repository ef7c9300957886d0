/** Why the keys of a hub could not be fetched, as a log has it. */

/** The reason of a failed fetch is in its cause. The question has no secret, so neither has the message. */
export function keyFailure(error: unknown): { readonly reason: string } {
  const { message, cause } = error instanceof Error ? error : new Error(String(error))
  return { reason: cause instanceof Error ? `${message}: ${cause.message}` : message }
}
