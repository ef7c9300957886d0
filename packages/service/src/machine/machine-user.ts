/** The operating system's user that this process runs as, for records of who did something. */

import { userInfo } from 'node:os'

/** A user without an entry in the system's table has a number only. */
export function machineUser(): string {
  try {
    return userInfo().username
  } catch {
    return String(process.getuid?.() ?? 'unknown')
  }
}
