/** Structured log lines with a closed set of event names. */

import { scrub } from '@latchkey/protocol'

export const logLevels = ['debug', 'info', 'warn', 'error', 'silent'] as const

export type LogLevel = (typeof logLevels)[number]

export type EventLevel = Exclude<LogLevel, 'silent'>

/** An event in the reference of log events. */
export interface EventText {
  /** One sentence for operators. */
  readonly about: string
  /** The fields of a line, without `level`, `time` and `event`. */
  readonly fields: readonly string[]
}

/** The text of every event of a table of levels. */
export type EventTexts<Levels extends object> = Readonly<Record<keyof Levels, EventText>>

type LogFields = Readonly<Record<string, unknown>>

/** Fields that are text already, for lines that repeat them: JSON without the braces, and without secrets. */
export type LogMembers = string & { readonly brand: 'log-members' }

export type Log<Event extends string> = (event: Event, fields: LogFields | LogMembers) => void

export type WriteLine = (line: string) => void

interface LogOptions<Event extends string> {
  /** Every event there is, and how loud it is. */
  readonly levelOf: Readonly<Record<Event, EventLevel>>
  /** Events quieter than this are not written. */
  readonly level: LogLevel
  readonly write: WriteLine
  /** Fields that every line ends with, after its own. */
  readonly always?: LogMembers | undefined
}

/** A line is one JSON object; written by hand, because every request waits for its own. */
export function createLog<Event extends string>(options: LogOptions<Event>): Log<Event> {
  const { levelOf, level, write, always } = options
  const end = always === undefined ? '}\n' : `,${always}}\n`
  const quietest = logLevels.indexOf(level)
  const now = isoTime()
  return (event, fields) => {
    const own = levelOf[event]
    if (logLevels.indexOf(own) < quietest) return
    const members = typeof fields === 'string' ? fields : logMembers(fields)
    const comma = members === '' ? '' : ','
    write(`{"level":"${own}","time":"${now()}","event":"${event}"${comma}${members}${end}`)
  }
}

export function logMembers(fields: LogFields): LogMembers {
  return scrub(JSON.stringify(fields).slice(1, -1)) as LogMembers
}

/** Parts of one line that were made apart. */
export function joinMembers(...parts: readonly LogMembers[]): LogMembers {
  return parts.filter((part) => part !== '').join() as LogMembers
}

/** Many lines fall into one millisecond; its text is made once. */
function isoTime(): () => string {
  let cachedMs = 0
  let text = ''
  return () => {
    const now = Date.now()
    if (now !== cachedMs) {
      cachedMs = now
      text = new Date(now).toISOString()
    }
    return text
  }
}

const maxValueLength = 300

/** A value that a client chose, at a length that is logged; what is cut off must not leave half a secret behind. */
export function shorten(text: string): string {
  return text.length <= maxValueLength ? text : `${scrub(text).slice(0, maxValueLength)}…`
}

export function failureOf(error: unknown): { error: string | undefined } {
  return { error: error instanceof Error ? error.stack : typeof error }
}
