/** The reference of the packages that people import, from the declarations that npm gets. */

import { readFileSync } from 'node:fs'
import { join } from 'node:path'

const root = join(import.meta.dirname, '..')

/** An environment variable, because TypeDoc passes no words on. */
const names = process.env.LATCHKEY_PACKAGES.split(' ')

/** Each entry of a package by the file of its declarations. */
export const entries = names.flatMap((name) => {
  const folder = join(root, 'packages', name)
  const manifest = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'))
  return Object.entries(manifest.exports)
    .filter(([, { types }]) => types !== undefined && !types.includes('*'))
    .map(([entry, { types }]) => ({
      file: join(folder, types),
      title: manifest.name + entry.slice(1),
    }))
})

export default {
  name: 'Latchkey packages',
  entryPoints: entries.map(({ file }) => file),
  tsconfig: './tsconfig.json',
  plugin: ['./name-entries.js', './readable-pages.js'],
  customCss: './typedoc.css',
  out: './dist/api',
  readme: 'none',
  skipErrorChecking: true,
  disableSources: true,
  excludeInternal: true,
  hideGenerator: true,
  // A branch would be a link in a button.
  navigation: { includeFolders: false },
  navigationLeaves: entries.map(({ title }) => title),
  navigationLinks: { Documentation: '/' },
}
