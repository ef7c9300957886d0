/** A thread that renders markdown: hostile text takes the time of this thread, and of nothing else. */

import { parentPort } from 'node:worker_threads'
import { renderMarkdown } from './render-markdown.ts'
import type { ReadmePlace } from './repo-links.ts'

export interface ToRender {
  readonly text: string
  readonly place: ReadmePlace
}

export interface Rendered {
  /** Undefined where the text cannot be shown as HTML. */
  readonly html: string | undefined
}

parentPort?.on('message', ({ text, place }: ToRender) => {
  parentPort?.postMessage({ html: rendered(text, place) } satisfies Rendered)
})

/** Text that the library cannot read is shown as it is. */
function rendered(text: string, place: ReadmePlace): string | undefined {
  try {
    return renderMarkdown(text, place)
  } catch {
    return undefined
  }
}
