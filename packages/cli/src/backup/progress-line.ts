/** How many objects a backup or a restore has carried: one line on a terminal, drawn over and over. */

export interface ProgressLine {
  show(count: number, bytes: number): void
  end(): void
}

const betweenMs = 100
const clearLine = '\r\u001b[K'

/** Draws nothing where standard error is no terminal. */
export function progressLine(): ProgressLine {
  const { stderr, env } = process
  const isSeen = stderr.isTTY === true && env['TERM'] !== 'dumb'
  let drawnMs = performance.now()
  let isDrawn = false
  return {
    show(count, bytes) {
      if (!isSeen || performance.now() - drawnMs < betweenMs) return
      drawnMs = performance.now()
      isDrawn = true
      stderr.write(`${clearLine}${count} objects, ${(bytes / 1e6).toFixed(1)} MB`)
    },
    end() {
      if (isDrawn) stderr.write(clearLine)
      isDrawn = false
    },
  }
}
