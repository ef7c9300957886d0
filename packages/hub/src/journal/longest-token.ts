/** How long a storage token can be in use, at most. */

import { largestLeewaySeconds, longestLifeSeconds } from '@latchkey/token'

/** The longest lifetime that can be configured, and the largest leeway of a gate. */
export const longestTokenMs = (longestLifeSeconds + largestLeewaySeconds) * 1000
