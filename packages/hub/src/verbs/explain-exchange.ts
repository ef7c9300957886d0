/** Explains which trusted publisher of a repository an id token would match, claim by claim. */

import { quoteGiven } from '@latchkey/service/text'
import {
  claimsIn,
  compareClaims,
  firstRule,
  type IdTokenClaims,
} from '../permission/trusted-publisher.ts'
import type { Step } from '../permission/what-is-missing.ts'
import type { PublisherRow } from '../tables/rows.ts'
import type { Does } from './does.ts'
import { publishersOf } from './publisher-rows.ts'
import { findRepositoryRow, noRepository } from './repository-rows.ts'

export const explainPublisher: Does<'publisher explain'> = async (work, input) => {
  const { tables, now } = work
  const { repository } = input
  const row = await findRepositoryRow(tables, repository)
  if (row === undefined) return noRepository(repository)
  const claims: IdTokenClaims = JSON.parse(input.payload)
  const publishers = await publishersOf(tables, row.uid)
  const steps = [...timeSteps(claims, now), ...publishers.map((one) => publisherStep(one, claims))]
  const matching = publishers.filter((one) => publisherStep(one, claims).passed)
  const first = firstRule(matching)
  const isInTime = steps.every(({ step, passed }) => passed || step === 'publisher')
  if (first === undefined || !isInTime) {
    const detail =
      publishers.length === 0
        ? `${row.path} has no trusted publisher.`
        : 'No trusted publisher of the repository admits this id token now.'
    return { allowed: false, detail, steps }
  }
  const detail = `The publisher "${first.name}" would give a hub token to ${first.contents}. The hub also verifies the signature, and that aud is its public URL.`
  return { allowed: true, detail, steps }
}

function timeSteps({ exp, iat }: IdTokenClaims, now: number): Step[] {
  const isLive = typeof exp === 'number' && exp > now
  const age = typeof iat === 'number' ? Math.round(now - iat) : undefined
  return [
    {
      step: 'expiry',
      passed: isLive,
      detail: isLive ? 'the id token has not expired' : 'the id token has expired, or has no exp',
    },
    {
      step: 'age',
      passed: age !== undefined,
      detail: age === undefined ? 'the id token has no iat' : `issued ${age} s ago`,
    },
  ]
}

function publisherStep(row: PublisherRow, claims: IdTokenClaims): Step {
  const isOfIssuer = claims['iss'] === row.issuer
  const { mismatches } = compareClaims({ preset: row.preset, claims: claimsIn(row) }, claims)
  const wrong = mismatches.map(({ claim, value }) =>
    value === undefined ? `${claim} is absent` : `${claim} is ${quoteGiven(value)}`,
  )
  const all = isOfIssuer ? wrong : [`the issuer is not ${row.issuer}`, ...wrong]
  const passed = all.length === 0
  return {
    step: 'publisher',
    passed,
    detail: passed ? `"${row.name}" matches` : `"${row.name}": ${all.join('; ')}`,
  }
}
