/** Builds the site, and says where it is. `--serve` serves it, `--dev` shows changes of pages at once. */

import { parseArgs } from 'node:util'
import { buildSite } from './site/build-site.ts'
import { serveSite } from './site/serve-site.ts'
import { installWebsite, runInWebsite } from './site/website.ts'

const { values } = parseArgs({
  options: { serve: { type: 'boolean' }, dev: { type: 'boolean' }, port: { type: 'string' } },
})
if (values.dev === true) {
  installWebsite()
  runInWebsite('node', ['node_modules/vitepress/bin/vitepress.js', 'dev'])
} else {
  buildSite()
  if (values.serve === true) {
    const { origin } = await serveSite(Number(values.port ?? 4173))
    console.log(`${origin} serves website/dist until you press Ctrl+C.`)
  } else console.log('The site is in website/dist. To read it: npm run docs -- --serve')
}
