/** How far a transfer is: one line on a terminal that is drawn over and over, and gone in the end. */

import { amount } from './amount.ts'
import { rate } from './rate.ts'

export interface Screen {
  readonly columns?: number
  write(text: string): unknown
}

export interface ProgressBar {
  readonly watch: {
    readonly onUploadProgress: OnProgress
    readonly onDownloadProgress: OnProgress
    /** Progress of files of which the client sends the parts that the storage lacks. */
    readonly onReadProgress: OnProgress
    /** Progress of a database, in rows. */
    readonly onRowsCopied: OnProgress
    readonly onRowsCompared: OnProgress
  }
  end(): void
}

type OnProgress = (bytes: number, total: number | undefined) => void

/** Shorter transfers need no bar. */
const patienceMs = 1000
const betweenMs = 100
const clearLine = '\r\u001b[K'

export function progressBar(screen: Screen, nowMs: () => number): ProgressBar {
  let drawnMs: number | undefined
  let isOver = false
  const draw = (verb: string, show = amount): OnProgress => {
    let startedMs: number | undefined
    const speed = rate()
    return (bytes, total) => {
      if (isOver) return
      const now = nowMs()
      startedMs ??= now
      const perSecond = speed.at(now, bytes)
      if (now - startedMs < patienceMs || now - (drawnMs ?? 0) < betweenMs) return
      drawnMs = now
      screen.write(
        clearLine + line({ verb, bytes, total, perSecond, show }, (screen.columns || 80) - 1),
      )
    }
  }
  return {
    watch: {
      onUploadProgress: draw('sent'),
      onDownloadProgress: draw('received'),
      onReadProgress: draw('read'),
      onRowsCopied: draw('rows copied', count),
      onRowsCompared: draw('rows compared', count),
    },
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
  readonly perSecond: number
  show(quantity: number): string
}

function count(quantity: number): string {
  return `${Math.round(quantity)}`
}

function line({ verb, bytes, total, perSecond, show }: Progress, width: number): string {
  const speed = `${show(perSecond)}/s`
  if (total === undefined || total === 0) return `${show(bytes)} ${verb}, ${speed}`.slice(0, width)
  const share = Math.min(bytes / total, 1)
  const left = timeLeft(Math.max(total - bytes, 0), perSecond)
  const text = ` ${Math.floor(share * 100)}%, ${show(bytes)} of ${show(total)} ${verb}, ${speed}${left}`
  const room = Math.min(width - text.length - 2, 30)
  if (room < 5) return text.trimStart().slice(0, width)
  const full = Math.floor(share * room)
  return `[${'#'.repeat(full)}${'.'.repeat(room - full)}]${text}`
}

/** Empty if it is unknown: at the end, or while no bytes move. */
function timeLeft(bytes: number, perSecond: number): string {
  if (bytes === 0 || perSecond <= 0) return ''
  const seconds = Math.ceil(bytes / perSecond)
  if (seconds < 60) return `, ${seconds} s left`
  const minutes = Math.ceil(seconds / 60)
  if (minutes < 60) return `, ${minutes} min left`
  const hours = Math.floor(minutes / 60)
  return hours < 100 ? `, ${hours} h ${minutes % 60} min left` : ''
}
