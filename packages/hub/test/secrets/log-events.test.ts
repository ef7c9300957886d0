/** The log speaks in a closed set of events, each one line of JSON. */

import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { makeHubToken } from '../../src/identity/hub-token.ts'
import { pooledRandom } from '../../src/identity/random.ts'
import { createLog, failureOf, logLevels } from '../../src/operations/log.ts'

const source = join(import.meta.dirname, '../../src/operations/log.ts')

/** What an operator can build alerts on; a new event is added here and in the documentation. */
const events = {
  hub_started: 'info',
  hub_stopping: 'info',
  hub_stopped: 'info',
  token_issued: 'info',
  token_checked: 'info',
  token_refused: 'info',
  admin_called: 'info',
  request_failed: 'error',
  last_use_not_recorded: 'warn',
} as const

type Event = keyof typeof events

const names = Object.keys(events) as Event[]

describe('the log', () => {
  test('has exactly the listed events, each with its level', () => {
    const { lines, log } = logAt('debug')
    for (const event of names) log(event, {})
    const written = lines.map((line) => JSON.parse(line) as { event: Event; level: string })
    expect(Object.fromEntries(written.map(({ event, level }) => [event, level]))).toEqual(events)
    expect(eventsInSource()).toEqual([...names].sort())
  })

  test.each(logLevels)('at the level %s says nothing quieter', (level) => {
    const { lines, log } = logAt(level)
    for (const event of names) log(event, {})
    const order = ['debug', 'info', 'warn', 'error', 'silent']
    const loud = names.filter((event) => order.indexOf(events[event]) >= order.indexOf(level))
    expect(lines.map((line) => JSON.parse(line).event)).toEqual(loud)
  })

  test('keeps every event on one line, whatever its fields hold', () => {
    const { lines, log } = logAt('info')
    log('token_refused', { ref: 'a\nb\r\u2028c\u0085{"event":"token_issued"}' })
    expect(lines.join('').match(/\n/g)).toHaveLength(1)
    expect(JSON.parse(lines.join(''))).toMatchObject({ event: 'token_refused' })
  })

  test('tells a failure on one line, without the secrets in its message', () => {
    const { lines, log } = logAt('error')
    const token = makeHubToken('lk_', pooledRandom()).reveal()
    log('request_failed', failureOf(new TypeError(`cannot use ${token}`)))
    expect(JSON.parse(lines.join('')).error).toMatch(/^TypeError: cannot use \S*\[hub-token\]/)
    expect(lines.join('').match(/\n/g)).toHaveLength(1)
  })
})

function logAt(level: (typeof logLevels)[number]) {
  const lines: string[] = []
  return { lines, log: createLog(level, (line) => lines.push(line)) }
}

/** The rows of the table that the type of an event is made from. */
function eventsInSource(): string[] {
  const rows = readFileSync(source, 'utf8').matchAll(/^ {2}(\w+): '(?:debug|info|warn|error)',$/gm)
  return Array.from(rows, ([, event = '']) => event).sort()
}
