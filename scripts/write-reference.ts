/** Writes the generated pages of docs/reference: `npm run docs:reference`. */

import { writeFileSync } from 'node:fs'
import { fileOf, pages } from './reference/pages.ts'

for (const [page, write] of Object.entries(pages)) writeFileSync(fileOf(page), await write())
