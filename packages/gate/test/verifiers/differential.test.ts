/** The comparison with verifiers in other languages finds a verifier that is careless in one thing. */

import { chance, rounds } from '@latchkey/testing/chance'
import { compareWithGate } from '@latchkey/testing/differential/compare-with-gate'
import { type GateVerifier, gateVerifier } from '@latchkey/testing/differential/gate-verifier'
import { lineVerifier } from '@latchkey/testing/differential/line-verifier'
import type { CheckRequest, Question, SetGate } from '@latchkey/testing/differential/questions'
import { describe, expect, test } from 'vitest'

type Asked = SetGate | Question

/** The gate itself behind the lines, except for what it is told of the questions. */
function careless(change: (asked: Asked) => Asked) {
  let verifier: GateVerifier | undefined
  const answer = async (line: string): Promise<object> => {
    const asked = change(JSON.parse(line))
    if (asked.kind !== 'gate') return (await verifier?.(asked)) ?? {}
    verifier = await gateVerifier(asked)
    return {}
  }
  return {
    async ask(lines: readonly string[]) {
      const answers: string[] = []
      for (const line of lines) answers.push(JSON.stringify(await answer(line)))
      return answers
    },
  }
}

function inGates(change: (set: SetGate) => Partial<SetGate>) {
  return careless((asked) => (asked.kind === 'gate' ? { ...asked, ...change(asked) } : asked))
}

function inRequests(change: (request: CheckRequest) => Partial<CheckRequest>) {
  return careless((asked) => (asked.kind === 'request' ? { ...asked, ...change(asked) } : asked))
}

function inTokens(change: (value: string) => string) {
  return inRequests(({ headers }) => ({ headers: headers.map(change) }))
}

const carelessVerifiers = {
  'has no list of revocations': inGates(() => ({ list: '' })),
  'has another leeway': inGates(({ leewaySeconds: given }) => ({
    leewaySeconds: Math.abs(given - 1),
  })),
  'has no rules of its operator': inGates(({ rules }) => ({ rules: { ...rules, write: [] } })),
  'repairs a path': inRequests(({ target }) => ({ target: target.replaceAll('//', '/') })),
  'ignores the query': inRequests(({ target }) => ({ target: target.replace(/\?.*/, '') })),
  'makes methods upper case': inRequests(({ method }) => ({ method: method.toUpperCase() })),
  'takes the last of several headers': inRequests(({ headers }) => ({
    headers: headers.slice(-2),
  })),
  'takes a token with its padding': inTokens((value) => value.replace(/=+$/, '')),
  'takes a token in quotes': inTokens((value) => value.replaceAll('"', '')),
}

// conformance: Keys / Verifiers in other languages decide as the gate does
test('a verifier that decides as the gate has no disagreement, and every answer of the gate occurs', async () => {
  const count = rounds(2000, 20_000)
  const { asked, disagreements, answers } = await compareWithGate(
    careless((question) => question),
    count,
    chance(5),
  )
  expect(asked).toBe(count)
  expect(disagreements).toEqual([])
  const invalid = [
    ...['malformed', 'unknown_key', 'forged', 'wrong_issuer', 'wrong_audience', 'not_yet_issued'],
    ...['lives_too_long', 'expired', 'revoked'],
  ].map((reason) => `401 storage_token_invalid ${reason}`)
  expect(Object.keys(answers)).toEqual(
    expect.arrayContaining([
      ...['200', '400 bad_request', '401 storage_token_missing', '403 insufficient_scope'],
      ...['403 repository_mismatch', '403 ref_mismatch', '404 not_found', ...invalid],
      ...['head read', 'head refused malformed', 'head refused forged', 'head refused unknown_key'],
      ...['list read', 'list refused', 'keys read', 'keys refused'],
    ]),
  )
})

describe('a verifier is found that', () => {
  test.each(Object.entries(carelessVerifiers))('%s', async (_what, verifier) => {
    const { disagreements } = await compareWithGate(verifier, 2500, chance(1), 1)
    expect(disagreements.length).toBeGreaterThan(0)
  })

  test.each([
    ['ends before its last answer', 'process.exit(0)'],
    ['fails', 'console.error("no"); process.exit(3)'],
  ])('%s', async (_what, program) => {
    const verifier = lineVerifier({ program: process.execPath, words: ['-e', program] })
    await expect(compareWithGate(verifier, 10, chance(1))).rejects.toThrow(
      'the verifier ended early',
    )
  })
})
