/** How long a storage token can be in use, at most. */

/** The longest lifetime that can be configured, and the largest leeway of a gate. */
export const longestTokenMs = (24 * 3600 + 60) * 1000
