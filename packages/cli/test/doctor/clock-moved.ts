/** Loaded into a command: its clock is ahead by CLOCK_AHEAD_MS. */

const { now } = Date
const aheadMs = Number(process.env['CLOCK_AHEAD_MS'])
Date.now = () => now() + aheadMs
