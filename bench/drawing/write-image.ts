/** Drawings as images of the documents. */

import { writeFileSync } from 'node:fs'
import { join, relative } from 'node:path'

const folder = join(import.meta.dirname, '../../docs/images')

/** Gives the file, as seen from here. */
export function writeImage(name: string, svg: string): string {
  const file = join(folder, `${name}.svg`)
  writeFileSync(file, svg)
  return relative(process.cwd(), file)
}
