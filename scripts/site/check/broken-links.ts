/** Links of the site that lead nowhere on it. Other origins are not asked. */

import type { PageFacts } from './visit-page.ts'

export function brokenLinks(
  pages: readonly PageFacts[],
  origin: string,
  isFile: (pathname: string) => boolean,
): readonly string[] {
  const anchorsOf = new Map(pages.map(({ path, anchors }) => [path, new Set(anchors)]))
  const isBroken = (link: string) => {
    const url = URL.parse(link)
    if (url === null) return true
    if (url.origin !== origin) return !['https:', 'http:', 'mailto:'].includes(url.protocol)
    const path = url.pathname.replace(/\/$/, '/index.html')
    if (!isFile(path)) return true
    const anchor = decodeURIComponent(url.hash.slice(1))
    return anchor !== '' && anchorsOf.get(path)?.has(anchor) !== true
  }
  return pages.flatMap(({ path, links }) =>
    [...new Set(links)].filter(isBroken).map((link) => `${path} links to ${link}`),
  )
}
