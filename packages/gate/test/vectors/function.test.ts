/** The vectors through the function itself. */

import { matrix, requests, type Vector, vectorGate } from '@latchkey/testing/vectors/read-vectors'
import { describe, expect, test } from 'vitest'
import type { CheckResult } from '../../src/index.ts'

const gate = vectorGate()

function check({ method, target, headers }: Vector): Promise<CheckResult> {
  return gate.check({ method, target, headers: headers.flat() })
}

function verdictOf(checked: CheckResult): unknown {
  if (!checked.ok) return checked.refusal.code
  const { scope, repository, repositoryUid, ref, refUid, subject } = checked.grant
  const grant = { scope, repository, repositoryUid, ref, refUid, subject }
  return { grant, gets: checked.path + checked.query }
}

function owedTo({ code, grant, gets }: Vector): unknown {
  return code ?? { grant, gets }
}

describe('a single request is judged as the vectors say', () => {
  test.each(requests)('$name', async (vector) => {
    expect(verdictOf(await check(vector))).toEqual(owedTo(vector))
  })
})

// conformance: Endpoints / POST /shard and POST /xorb/* need write, every other storage API read
// conformance: Attacks / 22. An attacker forges a token or changes its spelling or algorithm
test('every combination of token, method, place and path is judged as the vectors say', async () => {
  for (const vector of matrix) {
    expect(verdictOf(await check(vector)), vector.name).toEqual(owedTo(vector))
  }
})

test('the vectors refuse and admit with every kind of token', () => {
  const codes = new Set([...matrix, ...requests].map(({ code }) => code))
  expect([...codes].sort()).toEqual(
    [
      ...['bad_request', null, 'not_found', 'ref_mismatch', 'repository_mismatch'],
      ...['insufficient_scope', 'storage_token_invalid', 'storage_token_missing'],
    ].sort(),
  )
  expect(matrix.length).toBeGreaterThan(4000)
  expect(new Set(matrix.map(({ name }) => name)).size).toBe(matrix.length)
  expect(new Set(requests.map(({ name }) => name)).size).toBe(requests.length)
})
