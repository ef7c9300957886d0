/** How the schema of a storage grows in PostgreSQL: migration n brings it from version n to n + 1. */

import { catalogue } from './0001-catalogue.ts'
import { settings } from './0002-settings.ts'
import { sha256 } from './0003-sha256.ts'

export const migrations: readonly string[] = [catalogue, settings, sha256]
