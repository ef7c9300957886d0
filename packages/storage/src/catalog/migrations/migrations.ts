/** The steps that bring the storage's database to this program's version, in order. */

import { catalogue } from './0001-catalogue.ts'
import { logicalTime } from './0002-logical-time.ts'
import { firstChunks } from './0003-first-chunks.ts'
import { settings } from './0004-settings.ts'
import { sha256 } from './0005-sha256.ts'

export const migrations: readonly string[] = [catalogue, logicalTime, firstChunks, settings, sha256]
