import { spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { compileCache } from '@latchkey/testing/machine/latchkey-bin'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'

const folder = mkdtempSync(join(tmpdir(), 'latchkey-bench-test-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

/** Of what needs a program, and of what comes after it. */
const only = 'proxies,transfer,issue'
/** In so few repositories all keys are hot and nothing grows, so that one hub is started, and soon knows them all. */
const few = ['--rounds', '3', '--round-ms', '50', '--repositories', '20']

describe('the benchmarks on a machine without wrk, nginx, PostgreSQL and hf_xet', () => {
  let run: ReturnType<typeof benchmarks>
  beforeAll(() => {
    for (let left = 3; left > 0; left -= 1) {
      run = benchmarks()
      // Beside other load a hub refuses requests that wait too long, and the benchmark rejects such a run.
      if (!/\d+ requests, \d+ failed/.test(run.stderr)) return
    }
  })

  it('end without a failure, and write their figures', () => {
    expect(run.status, run.stderr).toBe(0)
    const { figures } = JSON.parse(
      readFileSync(join(folder, 'proxies-transfer-issue.json'), 'utf8'),
    )
    expect(figures.length).toBeGreaterThan(4)
  })

  it.each([
    ['proxies', 'nginx'],
    ['proxies', 'wrk'],
    ['transfer', 'hf_xet'],
    ['issue', 'PostgreSQL'],
  ])('say in a row of %s that %s is missing', (part, program) => {
    const row = new RegExp(`^${part} .*not measured: ${program}[^;]* is missing; `, 'm')
    expect(run.stdout).toMatch(row)
  })

  it('go on with what needs none of them', () => {
    expect(run.stdout).toMatch(/^issue +SQLite, uniform over 20 +bare-es +\d/m)
  })

  it('tell the seconds of each part', () => {
    expect(run.stdout).toMatch(/^seconds: proxies \d+, transfer \d+, issue \d+; together \d+/m)
  })
})

function benchmarks() {
  const command = join(import.meta.dirname, '../main.ts')
  const words = ['--conditions=@latchkey/source', command, '--only', only, ...few]
  return spawnSync(process.execPath, [...words, '--results', folder], {
    encoding: 'utf8',
    env: {
      PATH: folder,
      NODE_COMPILE_CACHE: compileCache,
      LATCHKEY_TEST_PATH_ALONE: '1',
      LATCHKEY_TEST_TOOLS: folder,
    },
  })
}
