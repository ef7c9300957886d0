/** Writes the operations of the admin client from the table of `packages/admin-api`. */

import { writeFileSync } from 'node:fs'
import { operationFiles } from './admin-client/write-operations.ts'

for (const [file, text] of Object.entries(operationFiles())) writeFileSync(file, text)
