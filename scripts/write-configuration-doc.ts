/** Writes docs/configuration.md from the table of options. */

import { writeFileSync } from 'node:fs'
import { configurationDocument } from '../packages/cli/src/configuration/document.ts'

writeFileSync(new URL('../docs/configuration.md', import.meta.url), configurationDocument())
