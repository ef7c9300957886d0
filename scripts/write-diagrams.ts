/** Writes the drawn pictures in docs/images: token-flow.svg and deployments.svg, readable in light and dark. */

import { writeFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { deployments } from './pictures/deployments.ts'
import { tokenFlow } from './pictures/token-flow.ts'

const images = resolve(import.meta.dirname, '../docs/images')
writeFileSync(resolve(images, 'token-flow.svg'), tokenFlow())
writeFileSync(resolve(images, 'deployments.svg'), deployments())
