/** The system's clock, for entry points; everything else is given the time. */

import { type Clock, unixSeconds } from '@latchkey/protocol'

export const systemClock: Clock = () => unixSeconds(Math.floor(Date.now() / 1000))
