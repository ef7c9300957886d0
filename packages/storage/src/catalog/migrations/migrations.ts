/** How the catalogue's file grows: migration n brings it from version n to n + 1. */

import { catalogue } from './0001-catalogue.ts'

export const migrations: readonly string[] = [catalogue]
