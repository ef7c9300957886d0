/** Builds website/dist: the pages with VitePress, the declarations of the packages with TypeDoc. */

import { cpSync, globSync } from 'node:fs'
import { join } from 'node:path'
import { buildLibraries } from '../build.ts'
import { described } from '../packages/packages.ts'
import { docsFolder } from './pages.ts'
import { installWebsite, runInWebsite, siteFolder } from './website.ts'

export function buildSite(): void {
  installWebsite()
  runInWebsite('node', ['node_modules/vitepress/bin/vitepress.js', 'build'])
  copyLinkedFiles()
  buildLibraries()
  const words = ['node_modules/typedoc/bin/typedoc', '--options', 'typedoc.js']
  runInWebsite('node', words, { LATCHKEY_PACKAGES: described.join(' ') })
}

/** VitePress takes pages and their images. */
function copyLinkedFiles(): void {
  for (const file of globSync('{guides,reference}/**/*.{json,yaml,txt}', { cwd: docsFolder }))
    cpSync(join(docsFolder, file), join(siteFolder, file))
}
