/** The log is one line of JSON for every event that is loud enough. */

import { describe, expect, test } from 'vitest'
import { createLog, failureOf, type LogMembers, logLevels, logMembers } from '../src/observe/log.ts'

const levelOf = {
  door_tried: 'debug',
  door_opened: 'info',
  door_closed: 'info',
  door_stuck: 'warn',
  door_broken: 'error',
} as const

const names = Object.keys(levelOf) as (keyof typeof levelOf)[]

describe('the log', () => {
  test.each(logLevels)('at the level %s says nothing quieter', (level) => {
    const { lines, log } = logAt(level)
    for (const event of names) log(event, {})
    const order = ['debug', 'info', 'warn', 'error', 'silent']
    const loud = names.filter((event) => order.indexOf(levelOf[event]) >= order.indexOf(level))
    expect(lines.map((line) => JSON.parse(line).event)).toEqual(loud)
  })

  test('keeps every event on one line, whatever its fields hold', () => {
    const { lines, log } = logAt('info')
    log('door_closed', { ref: 'a\nb\r\u2028c\u0085{"event":"door_opened"}' })
    expect(lines.join('').match(/\n/g)).toHaveLength(1)
    expect(JSON.parse(lines.join(''))).toMatchObject({ event: 'door_closed' })
  })

  test('tells a failure on one line, without the secrets in its message', () => {
    const { lines, log } = logAt('error')
    const token = `lk_${'7'.repeat(49)}`
    log('door_broken', failureOf(new TypeError(`cannot use ${token}`)))
    expect(JSON.parse(lines.join('')).error).toMatch(/^TypeError: cannot use \S*\[hub-token\]/)
    expect(lines.join('').match(/\n/g)).toHaveLength(1)
  })

  test('says on every line what it always says, with other fields or without', () => {
    const { lines, log } = logAt('info', logMembers({ worker: 2 }))
    log('door_opened', {})
    log('door_closed', { by: 'wind' })
    const [opened, closed] = lines.map((line) => JSON.parse(line))
    expect(opened).toMatchObject({ event: 'door_opened', worker: 2 })
    expect(closed).toMatchObject({ event: 'door_closed', by: 'wind', worker: 2 })
  })
})

function logAt(level: (typeof logLevels)[number], always?: LogMembers) {
  const lines: string[] = []
  return { lines, log: createLog({ levelOf, level, always, write: (line) => lines.push(line) }) }
}
