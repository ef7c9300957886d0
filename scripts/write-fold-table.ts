/** Writes the characters that a router may take for ASCII, for verifiers in languages whose Unicode is another one. */

import { writeFileSync } from 'node:fs'
import { foldTable } from './fold-table.ts'

writeFileSync(new URL('../clients/go/verify/fold.txt', import.meta.url), foldTable())
