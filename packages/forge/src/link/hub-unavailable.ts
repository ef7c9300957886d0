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
      status,
    }: {
      readonly mayHaveTakenEffect: boolean
      readonly retryAfterSeconds?: number | undefined
      /** The hub refuses this forge with it. */
      readonly status?: number | undefined
    },
  ) {
    super(sentenceFor(reason, status))
    const next = mayHaveTakenEffect
      ? 'The change may have been made: look before you repeat it.'
      : 'The hub changed nothing. Try again in a moment.'
    const detail = `The forge cannot ask its hub now. ${next}`
    this.refusal = refuse('hub_unavailable', detail, { retryAfterSeconds })
  }
}

/** For the operator. */
function sentenceFor(reason: string, status: number | undefined): string {
  if (status === undefined) {
    return `The hub does not respond to the forge: ${reason.replace(/\.$/, '')}. Start the hub, or correct its address.`
  }
  if (status === 401) {
    return 'The hub does not know the credential of this forge: it is wrong, revoked or expired. Start the forge with a new hub token of kind forge.'
  }
  return `The hub refuses this forge. ${reason}`
}
