import { type Refusal, refuse } from '@latchkey/protocol'

/** The hub has not answered a question: it is away, or refuses this forge. What was asked may be asked again later. */
export class HubUnavailable extends Error {
  /** For the client of the forge; the message is for the log. */
  readonly refusal: Refusal

  constructor(
    reason: string,
    {
      mayHaveTakenEffect,
      retryAfterSeconds = 1,
    }: { readonly mayHaveTakenEffect: boolean; readonly retryAfterSeconds?: number | undefined },
  ) {
    super(`the hub: ${reason}`)
    const next = mayHaveTakenEffect
      ? 'The change may have been made: look before you repeat it.'
      : 'The hub changed nothing. Try again in a moment.'
    const detail = `The forge cannot ask its hub now. ${next}`
    this.refusal = refuse('hub_unavailable', detail, { retryAfterSeconds })
  }
}
