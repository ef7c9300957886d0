/** How long a storage token may be used after it was taken back. */

export interface RevocationBounds {
  /** While the hub answers. */
  readonly normalSeconds: number
  /** While it does not. */
  readonly withheldSeconds: number
}

/** What a hub says about revoked tokens counts for so long. */
export const longestHeadSeconds = 60

/** How often a gate asks. */
export const defaultPollSeconds = 5
/** A question of a gate is given up after so long. */
export const pollPatienceSeconds = 4

export function boundsOf(
  pollSeconds = defaultPollSeconds,
  patienceSeconds = pollPatienceSeconds,
): RevocationBounds {
  return { normalSeconds: pollSeconds + patienceSeconds, withheldSeconds: longestHeadSeconds }
}
