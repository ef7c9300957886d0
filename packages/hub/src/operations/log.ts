/** Structured log lines with a closed set of event names. */

import { scrub } from './scrub.ts'

export const logLevels = ['debug', 'info', 'warn', 'error', 'silent'] as const

export type LogLevel = (typeof logLevels)[number]

/** Every event there is, and how loud it is. */
const levelOf = {
  hub_started: 'info',
  hub_stopping: 'info',
  hub_stopped: 'info',
  token_issued: 'info',
  token_checked: 'info',
  token_refused: 'info',
  admin_called: 'info',
  request_failed: 'error',
  last_use_not_recorded: 'warn',
} as const satisfies Record<string, Exclude<LogLevel, 'silent'>>

export type LogEvent = keyof typeof levelOf

export type Log = (event: LogEvent, fields: Readonly<Record<string, unknown>>) => void

export type WriteLine = (line: string) => void

/** A line is one JSON object; written by hand, because every request waits for its own. */
export function createLog(level: LogLevel, write: WriteLine): Log {
  const quietest = logLevels.indexOf(level)
  const now = isoTime()
  return (event, fields) => {
    const own = levelOf[event]
    if (logLevels.indexOf(own) < quietest) return
    const rest = JSON.stringify(fields).slice(1)
    const comma = rest === '}' ? '' : ','
    write(scrub(`{"level":"${own}","time":"${now()}","event":"${event}"${comma}${rest}\n`))
  }
}

/** Many lines fall into one millisecond; its text is made once. */
function isoTime(): () => string {
  let known = 0
  let text = ''
  return () => {
    const now = Date.now()
    if (now !== known) {
      known = now
      text = new Date(now).toISOString()
    }
    return text
  }
}

export function failureOf(error: unknown): { error: string | undefined } {
  return { error: error instanceof Error ? error.stack : typeof error }
}
