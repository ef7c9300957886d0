/** How much one account may have in uploads that are not finished, unless the operator says otherwise. */

/** `hf_xet` sends up to 64 xorbs of 64 MiB at once. */
export const defaultInFlightBytes = 64 * 64 * 1024 * 1024
