/** The settings of VitePress. `website/.vitepress/config.js` passes them on. */

import { join } from 'node:path'
import { repositoryUrl } from '../packages/home.ts'
import { root } from '../packages/packages.ts'
import { withTargets } from './markdown.ts'
import { menu } from './navigation.ts'
import { anchorOf, docsFolder, pages } from './pages.ts'

interface Renderer {
  render(source: string, env: { readonly relativePath: string }): string
}

/** A page of a folder is read at the folder's address. */
const rewrites = Object.fromEntries(
  pages
    .filter((page) => page.endsWith('/README.md'))
    .map((page) => [page, page.replace(/README\.md$/, 'index.md')]),
)

/** The search leaves the decisions out: they tell reasons, and hide what readers look for. */
function searchText(
  source: string,
  env: { readonly relativePath: string },
  renderer: Renderer,
): string {
  const html = renderer.render(source, env)
  return /^internals\/decisions\/\d/.test(env.relativePath) ? '' : html
}

/** The parts of a plugin of Vite that this file uses. */
interface PluginContext {
  resolve(id: string, importer: string, options: BuildSide): Promise<object | null>
}

interface BuildSide {
  readonly ssr?: boolean
  readonly skipSelf?: boolean
}

/** The pages lie beside the website, so its Vue is not found from there. */
const vueOfTheWebsite = {
  name: 'latchkey-vue',
  enforce: 'pre' as const,
  resolveId(this: PluginContext, id: string, importer: string | undefined, options: BuildSide) {
    if (!/^vue(?:\/|$)/.test(id)) return null
    if (options.ssr === true) return { id, external: true }
    if (importer?.startsWith(docsFolder) !== true) return null
    return this.resolve(id, join(root, 'website/package.json'), { ...options, skipSelf: true })
  },
}

const isExternal = { target: '_self' }

export const siteConfig = {
  title: 'Latchkey',
  description: 'Issues and enforces short-lived storage tokens for model and dataset hubs.',
  lang: 'en',
  srcDir: '../docs',
  outDir: 'dist',
  cacheDir: 'node_modules/.cache/vitepress',
  rewrites,
  metaChunk: true,
  markdown: {
    anchor: { slugify: anchorOf },
    config: withTargets,
    theme: { light: 'github-light-high-contrast', dark: 'github-dark-high-contrast' },
  },
  // Pictures are files, which readers can open.
  vite: { publicDir: false, plugins: [vueOfTheWebsite], build: { assetsInlineLimit: 0 } },
  themeConfig: {
    nav: [
      { text: 'Start', link: '/start/quick-start.html' },
      { text: 'TypeScript API', link: '/api/index.html', ...isExternal },
      ...(repositoryUrl === '' ? [] : [{ text: 'Repository', link: repositoryUrl }]),
    ],
    sidebar: menu(),
    outline: { level: [2, 3] },
    externalLinkIcon: true,
    search: { provider: 'local', options: { _render: searchText } },
  },
} as const
