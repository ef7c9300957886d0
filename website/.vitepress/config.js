// Not a plain import: VitePress would compile the file for browsers.
const file = new URL('../../scripts/site/config.ts', import.meta.url)
const { siteConfig } = await import(file.href)

export default siteConfig
