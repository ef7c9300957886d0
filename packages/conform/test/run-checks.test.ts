import { describe, expect, test } from 'vitest'
import { type Check, NotApplicable, type Profile } from '../src/check.ts'
import { readExpectedFailures } from '../src/expected-failures.ts'
import { byClause, isAsExpected } from '../src/report/by-clause.ts'
import { jsonReport } from '../src/report/json.ts'
import { junitReport } from '../src/report/junit.ts'
import { textReport } from '../src/report/text.ts'
import { runChecks } from '../src/run-checks.ts'

const secret = 'a token of another hub'

const fault = {
  expected: 'status 200',
  got: `<${secret}> & eyJhbGciOiJFUzI1NiJ9.eyJpc3MiOiJ4In0.x`,
}

const clause = 'Errors / 401 if the hub token is missing'

function check(id: string, run: Check<undefined>['run'], more: Partial<Check<undefined>> = {}) {
  return { id, clause, profiles: ['token-api'], title: `The check ${id}`, run, ...more } as const
}

const checks: readonly Check<undefined>[] = [
  check('passes', async () => undefined, { clause: 'Endpoints / The method is GET' }),
  check('fails', async () => ({ ...fault, request: `GET /?${secret}` })),
  check('skips', async () => ({ skip: `no ${secret}` })),
  check('ends-early', () => Promise.reject(new NotApplicable('needs a token'))),
  check('throws', () => Promise.reject(new Error(`no ${secret}`)), {
    clause: 'Errors / 404 if the repository does not exist',
  }),
  check('hangs', () => new Promise(() => {}), { profiles: ['huggingface'] }),
]

function run(options: Partial<Parameters<typeof runChecks>[2]> = {}) {
  const profiles: readonly Profile[] = ['token-api']
  return runChecks(checks, undefined, {
    ...{ profiles, secrets: () => [secret], stopwatch: () => 0 },
    ...options,
  })
}

async function outcomes(options: Partial<Parameters<typeof runChecks>[2]>) {
  const results = await run(options)
  return Object.fromEntries(results.map(({ id, outcome }) => [id, outcome]))
}

describe('a run of checks', () => {
  test('has a result for each check of its profiles', async () => {
    expect(await outcomes({})).toEqual({
      passes: 'passed',
      fails: 'failed',
      skips: 'skipped',
      'ends-early': 'skipped',
      throws: 'error',
    })
  })

  test('shows text of a server in one line, with nothing that a terminal obeys', async () => {
    const got = `x\n  pass  Forged\r\t\u001b[2J\u009b\u202e\u2028${'y'.repeat(90_000)}`
    const [result] = await runChecks([check('fails', async () => ({ ...fault, got }))], undefined, {
      profiles: ['token-api'],
    })
    const shown = result?.fault?.got ?? ''
    expect(shown).toMatch(/^x\\u\{a\} {2}pass {2}Forged\\u\{d\}\\u\{9\}\\u\{1b\}\[2J\S+y…$/)
    expect(shown).not.toMatch(/[\p{Cc}\p{Cf}\u2028]/u)
    expect(shown.length).toBeLessThan(1200)
  })

  test('shows no part of a secret that begins with another one', async () => {
    const secrets = () => ['a-token', 'a-token-of-more']
    const got = 'the a-token-of-more'
    const [result] = await runChecks([check('fails', async () => ({ ...fault, got }))], undefined, {
      ...{ profiles: ['token-api'], secrets },
    })
    expect(result?.fault?.got).toBe('the [secret]')
  })

  test('runs only the named ids, clauses and sections', async () => {
    expect(Object.keys(await outcomes({ only: ['skips', 'Endpoints'] }))).toEqual([
      'passes',
      'skips',
    ])
    expect(Object.keys(await outcomes({ only: [clause] }))).toHaveLength(3)
  })

  test('accepts an expected failure, reports one that passes, and no error as either', async () => {
    const expectedFailures = ['passes', 'fails', 'skips', 'throws']
    expect(await outcomes({ expectedFailures })).toMatchObject({
      passes: 'unexpected-pass',
      fails: 'expected-failure',
      skips: 'skipped',
      throws: 'error',
    })
    expect(isAsExpected(await run({ expectedFailures: ['fails'], only: ['fails'] }))).toBe(true)
    expect(isAsExpected(await run({ expectedFailures: ['passes'], only: ['passes'] }))).toBe(false)
    expect(isAsExpected(await run({ only: ['fails'] }))).toBe(false)
    expect(isAsExpected(await run({ only: ['throws'] }))).toBe(false)
    expect(isAsExpected(await run({ only: ['passes', 'skips'] }))).toBe(true)
  })

  test('ends a check that hangs', async () => {
    expect(await outcomes({ profiles: ['huggingface'], timeoutMs: 1 })).toEqual({ hangs: 'error' })
  })
})

describe('a report', () => {
  test('has one line for each clause, in the order of the specification', async () => {
    const results = await run()
    expect(byClause(results).map(({ name, outcome }) => [name, outcome])).toEqual([
      ['The method is GET', 'passed'],
      ['401 if the hub token is missing', 'failed'],
      ['404 if the repository does not exist', 'error'],
    ])
    expect(textReport(results)).toBe(`Endpoints
  pass  The method is GET

Errors
  FAIL  401 if the hub token is missing
          fails: The check fails
            request   GET /?[secret]
            expected  status 200
            got       <[secret]> & [access-token]
          skips: skipped: no [secret]
          ends-early: skipped: needs a token
  ERROR  404 if the repository does not exist
          throws: The check throws
            expected  a response
            got       no [secret]

clauses: 1 passed, 1 failed, 1 without a result
checks:  1 passed, 1 failed, 1 without a result, 2 skipped
`)
  })

  test('is valid XML for CI systems', async () => {
    const report = junitReport(await run())
    expect(report).toContain(
      '<testsuite name="Errors" tests="2" failures="1" errors="1" skipped="0" time="0.000">',
    )
    expect(report).toContain(
      '<failure message="fails">fails: The check fails, request: GET /?[secret], expected: status 200, got: &lt;[secret]&gt; &amp; [access-token]</failure>',
    )
    expect(report).toContain(
      '<testcase classname="Endpoints" name="The method is GET" time="0.000"/>',
    )
  })

  test('is JSON for programs', async () => {
    expect(JSON.parse(jsonReport(await run()))).toMatchObject({
      asExpected: false,
      clauses: { passed: 1, failed: 1, error: 1 },
      checks: { passed: 1, failed: 1, error: 1, skipped: 2 },
      results: [
        { section: 'Endpoints', clause: 'The method is GET', outcome: 'passed' },
        { clause: '401 if the hub token is missing', checks: [{ id: 'fails' }, {}, {}] },
        { outcome: 'error' },
      ],
    })
  })

  test('contains no token', async () => {
    const results = await run()
    const reports = [textReport(results), junitReport(results), jsonReport(results)].join('')
    expect(reports).not.toContain(secret)
    expect(reports).not.toContain('eyJ')
  })
})

test('a file of expected failures has an id on each line, and comments', () => {
  const known = [{ id: 'fails' }, { id: 'skips' }]
  expect(readExpectedFailures('# ours\nfails\n\n  skips # later\r\n', known)).toEqual([
    'fails',
    'skips',
  ])
  expect(readExpectedFailures('fials\n', known)).toEqual({ unknown: 'fials' })
})
