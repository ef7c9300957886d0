/** How the schema of a hub grows in PostgreSQL: migration n brings it from version n to n + 1. */

import { directory } from './0001-directory.ts'
import { journal } from './0002-journal.ts'
import { toldCounts } from './0003-told-counts.ts'
import { publicRepositories } from './0004-public-repositories.ts'

export const migrations: readonly string[] = [directory, journal, toldCounts, publicRepositories]
