/** How the schema of a hub grows in PostgreSQL: migration n brings it from version n to n + 1. */

import { directory } from './0001-directory.ts'

export const migrations: readonly string[] = [directory]
