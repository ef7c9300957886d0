import { spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { type Figure, measuredOf } from '../measure/figure.ts'
import type { PartFigure } from '../measure/table.ts'
import { costsFrom } from '../plan/costs.ts'
import { type Assumptions, gateCores, knownShare, planHub } from '../plan/plan-hub.ts'
import { planText, withPlan } from '../plan/plan-text.ts'

const row = (part: string, figure: string, details: Figure['details'] = {}): PartFigure => ({
  ...{ part, figure, anchor: '', result: measuredOf([2]), details },
})
const issued = (name: string, micros: number, more: Figure['details'] = {}) =>
  row('issue', name, { 'CPU µs': micros, MB: 200, 'directory MB': 1000, ...more })

const figures = [
  issued('PostgreSQL, uniform over 1000', 1),
  issued('PostgreSQL, 20000 hot of 1000000', 50),
  issued('PostgreSQL, uniform over 1000000', 100, { 'database µs': 70, MB: 256 }),
  row('check', 'token seen before'),
  row('check', 'token not seen before', { µs: 102 }),
  row('proxies', 'gateway, 64 KiB', { 'CPU µs': 200 }),
]
const costs = costsFrom(figures)
const assumed: Assumptions = {
  repositories: 1e7,
  tokenRequestsPerSecond: 100_000,
  changesPerSecond: 0,
  hotRepositories: 20_000,
  busy: 0.5,
  storageRequestsPerToken: 10,
  connectionsOfHub: 16,
  postgresCores: 32,
  postgresConnections: 500,
}
const issue = costs.PostgreSQL ?? expect.fail('no costs')

describe('the costs of a plan', () => {
  it('are those of the largest directory', () => {
    expect(issue).toEqual({
      repositories: 1_000_000,
      directoryMegabytes: 1000,
      known: { hub: 50, database: 0, megabytes: 200 },
      first: { hub: 100, database: 70, megabytes: 256 },
    })
  })

  it('are not made up where nothing was measured', () => {
    expect(costs.SQLite).toBeUndefined()
    expect(costs.gate.asking).toBeUndefined()
    expect(gateCores(costs, 'asking', assumed)).toBeUndefined()
    const result = { notMeasured: 'nginx is missing' }
    expect(costsFrom([{ ...row('check', 'token seen before'), result }]).gate.seen).toBeUndefined()
  })
})

describe('a plan', () => {
  it('is refused without token requests on PostgreSQL', () => {
    expect(() => planText(costsFrom([]), assumed)).toThrow('run the part issue')
  })

  it('has hubs for requests that they all remember, while the directory rests', () => {
    // 100 000 requests of 50 µs take 5 cores, of which half is used.
    expect(planHub(issue, assumed)).toMatchObject({
      ...{ known: 1, hubCores: 10, connections: 160, postgresCores: 0, hubGigabytes: 2.5 },
      directoryGigabytes: 1000 * (10 / 1024),
    })
  })

  it('has hubs and PostgreSQL for requests of which none is remembered, while it changes all the time', () => {
    const plan = planHub(issue, { ...assumed, changesPerSecond: 1e6 })
    expect(plan).toMatchObject({ hubCores: 20, postgresCores: 14, connections: 320 })
    // 31 processes with 16 connections each, at 5000 requests a second; 32 cores at half of 1e6 / 70.
    expect(plan.reached.connections).toBe(31 * 5000)
    expect(plan.reached.cores).toBeCloseTo((32 * 0.5 * 1e6) / 70)
  })

  it('remembers less the more often the directory changes', () => {
    const shares = [0, 0.1, 1, 10, 100].map((changesPerSecond) =>
      knownShare(issue, { ...assumed, changesPerSecond }),
    )
    expect(shares).toEqual(shares.toSorted((one, other) => other - one))
    expect(new Set(shares).size).toBe(5)
    // With one repository, of all requests between two changes only the first is not known.
    const one = { ...assumed, changesPerSecond: 100, hotRepositories: 1 }
    expect(knownShare(issue, one)).toBeCloseTo(0.99, 2)
  })

  it('has gateways for the storage requests of each token, of which one is new to the gate', () => {
    expect(gateCores(costs, 'gateway', assumed)).toBe((100_000 * (10 * 200 + 100)) / 1e6 / 0.5)
  })
})

describe('the page of a plan', () => {
  it('says what was not measured, on how large a directory, and prints no empty figure', () => {
    const text = planText(costs, assumed)
    expect(text).toContain('directory of 1 000 000, the largest that these results have')
    expect(text).toContain(
      '| storage request of 64 KiB through nginx that asks the gate, both | not measured | – |',
    )
    expect(text).toContain('| cores for gateways, 10 storage requests with a token | 420 |')
    expect(text).not.toMatch(/NaN|undefined|Infinity/)
  })

  it('takes the place of the one before, and of nothing else', () => {
    const document = readFileSync(join(import.meta.dirname, '../../docs/performance.md'), 'utf8')
    const once = withPlan(document, 'the first plan')
    expect(once.replace('the first plan', '').split(/<!--/)[0]).toBe(document.split('<!--')[0])
    expect(once.split('to here -->')[1]).toBe(document.split('to here -->')[1])
    expect(withPlan(once, 'the next')).toBe(once.replace('the first plan', 'the next'))
    expect(() => withPlan('text', 'a plan')).toThrow('no place')
  })

  it('is printed by the command for the results that are named', () => {
    const folder = mkdtempSync(join(tmpdir(), 'latchkey-bench-test-'))
    const file = join(folder, 'results.json')
    writeFileSync(file, JSON.stringify({ figures }))
    const command = join(import.meta.dirname, '../plan.ts')
    const { status, stdout } = spawnSync(process.execPath, [command, file], { encoding: 'utf8' })
    rmSync(folder, { recursive: true })
    expect(status).toBe(0)
    expect(stdout).toContain('10 000 000 repositories and 100 000 token requests a second')
  })
})
