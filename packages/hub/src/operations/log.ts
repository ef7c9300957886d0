/** Structured log lines with a closed set of event names. */

import { pino } from 'pino'
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

export function createLog(level: LogLevel, write: WriteLine): Log {
  const logger = pino(
    {
      level,
      base: null,
      timestamp: isoTime(),
      formatters: { level: (label) => ({ level: label }) },
    },
    { write: (line) => write(scrub(line)) },
  )
  return (event, fields) => logger[levelOf[event]]({ event, ...fields })
}

/** Many lines fall into one millisecond; its text is made once. */
function isoTime(): () => string {
  let known = 0
  let text = ''
  return () => {
    const now = Date.now()
    if (now !== known) {
      known = now
      text = `,"time":"${new Date(now).toISOString()}"`
    }
    return text
  }
}

export function failureOf(error: unknown): { error: string | undefined } {
  return { error: error instanceof Error ? error.stack : typeof error }
}
