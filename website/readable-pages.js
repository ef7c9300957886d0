/**
 * A plugin of TypeDoc: pages that a screen reader can walk through. TypeDoc marks no main part, skips levels of headings,
 * and puts links into buttons.
 */

import { PageEvent } from 'typedoc'

export function load(app) {
  app.renderer.on(PageEvent.END, (page) => {
    page.contents = withLevels(withLandmarks(page.contents))
  })
}

export function withLandmarks(html) {
  return html
    .replace('<div class="col-content">', '<div class="col-content" role="main">')
    .replace('<div class="col-sidebar">', '<div class="col-sidebar" role="complementary">')
    .replace('<nav id="tsd-sidebar-links"', '$& aria-label="Other parts"')
    .replace('<nav class="tsd-navigation">', '<nav class="tsd-navigation" aria-label="Modules">')
    .replaceAll(/<summary.*?<\/summary>/gs, (summary) =>
      summary.replaceAll(/<a [^>]*class="tsd-anchor-icon".*?<\/a>/gs, ''),
    )
}

/** Keeps the tags, by which TypeDoc chooses sizes. */
export function withLevels(html) {
  let last = 0
  return html.replaceAll(/<h([1-6])(?=[ >])/g, (tag, digit) => {
    const level = Math.min(Number(digit), last + 1)
    last = level
    return level === Number(digit) ? tag : `${tag} aria-level="${level}"`
  })
}
