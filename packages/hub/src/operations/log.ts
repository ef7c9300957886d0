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
  request_rejected: 'info',
  request_failed: 'error',
  last_use_not_recorded: 'warn',
} as const satisfies Record<string, Exclude<LogLevel, 'silent'>>

export type LogEvent = keyof typeof levelOf

/** A broken dependency is told by name and message; both pass the scrubber. */
export type Log = (event: LogEvent, fields: Readonly<Record<string, unknown>>) => void

export type WriteLine = (line: string) => void

export function createLog(level: LogLevel, write: WriteLine): Log {
  const logger = pino(
    {
      level,
      base: null,
      timestamp: () => `,"time":"${new Date().toISOString()}"`,
      formatters: { level: (label) => ({ level: label }) },
    },
    { write: (line) => write(scrub(line)) },
  )
  return (event, fields) => logger[levelOf[event]]({ event, ...fields })
}

export function failureOf(error: unknown): { error: string } {
  return { error: error instanceof Error ? `${error.name}: ${error.message}` : typeof error }
}
