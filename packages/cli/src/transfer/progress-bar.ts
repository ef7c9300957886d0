/** How far a transfer is: one line on a terminal that is drawn over and over, and gone in the end. */

export interface Screen {
  readonly columns?: number
  write(text: string): unknown
}

export interface ProgressBar {
  readonly watch: { readonly onUploadProgress: OnProgress; readonly onDownloadProgress: OnProgress }
  end(): void
}

type OnProgress = (bytes: number, total: number | undefined) => void

/** What is over sooner needs no bar. */
const patienceMs = 1000
const betweenMs = 100
const clearLine = '\r\u001b[K'

export function progressBar(screen: Screen, nowMs: () => number): ProgressBar {
  let drawnMs: number | undefined
  let isOver = false
  const draw = (verb: string): OnProgress => {
    let startedMs: number | undefined
    return (bytes, total) => {
      if (isOver) return
      const now = nowMs()
      startedMs ??= now
      if (now - startedMs < patienceMs || now - (drawnMs ?? 0) < betweenMs) return
      drawnMs = now
      const seconds = (now - startedMs) / 1000
      screen.write(clearLine + line({ verb, bytes, total, seconds }, (screen.columns || 80) - 1))
    }
  }
  return {
    watch: { onUploadProgress: draw('sent'), onDownloadProgress: draw('received') },
    end() {
      if (drawnMs !== undefined) screen.write(clearLine)
      drawnMs = undefined
      isOver = true
    },
  }
}

interface Progress {
  readonly verb: string
  readonly bytes: number
  readonly total: number | undefined
  readonly seconds: number
}

function line({ verb, bytes, total, seconds }: Progress, width: number): string {
  const speed = `${amount(bytes / seconds)}/s`
  if (total === undefined || total === 0)
    return `${amount(bytes)} ${verb}, ${speed}`.slice(0, width)
  const share = Math.min(bytes / total, 1)
  const text = ` ${Math.floor(share * 100)}%, ${amount(bytes)} of ${amount(total)} ${verb}, ${speed}`
  const room = Math.min(width - text.length - 2, 30)
  if (room < 5) return text.trimStart().slice(0, width)
  const full = Math.floor(share * room)
  return `[${'#'.repeat(full)}${'.'.repeat(room - full)}]${text}`
}

const units = ['B', 'kB', 'MB', 'GB', 'TB']

export function amount(bytes: number): string {
  const step = Math.min(Math.floor(Math.log10(Math.max(bytes, 1)) / 3), units.length - 1)
  return `${(bytes / 1000 ** step).toFixed(step === 0 ? 0 : 1)} ${units[step]}`
}
