/** How far a long command has come, for people: one line that is drawn anew at a terminal. */

import { tell } from './tell.ts'

export interface Progress {
  show(text: string): void
  end(): void
}

const betweenMs = 100
const clearLine = '\r\u001b[K'

/** Where standard error is no terminal, a line comes every so many seconds; if left out, none comes. */
export function progress(lineSeconds = Number.POSITIVE_INFINITY): Progress {
  const { stderr, env } = process
  const isSeen = stderr.isTTY === true && env['TERM'] !== 'dumb'
  const waitMs = isSeen ? betweenMs : lineSeconds * 1000
  let shownMs = performance.now()
  let isDrawn = false
  return {
    show(text) {
      if (performance.now() - shownMs < waitMs) return
      shownMs = performance.now()
      if (!isSeen) return tell(text)
      isDrawn = true
      stderr.write(`${clearLine}${text}`)
    },
    end() {
      if (isDrawn) stderr.write(clearLine)
      isDrawn = false
    },
  }
}

/** In logs of commands that run for hours. */
export const secondsBetweenLines = 60

export function objectsText(count: number, bytes: number): string {
  return `${count} objects, ${(bytes / 1e6).toFixed(1)} MB`
}
