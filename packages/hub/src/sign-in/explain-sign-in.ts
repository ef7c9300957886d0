/** Explains what a sign-in with the claims of an id token would end with, condition by condition. Signs nobody in. */

import { isName, type Refusal, refuse, type UnixSeconds } from '@latchkey/protocol'
import { quoteGiven } from '@latchkey/service/text'
import type { ProviderRules } from '../identity/provider-rules.ts'
import type { Step } from '../permission/what-is-missing.ts'
import type { Reading } from '../tables/directory.ts'
import type { Does } from '../verbs/does.ts'
import { findLinkedAccount, isNameTaken, unmetCondition } from './find-account.ts'
import { freshUntil } from './open-session.ts'

type Claims = Readonly<Record<string, unknown>>

export const explainSignIn: Does<'explain sign-in'> = async (work, { provider: name, payload }) => {
  const { tables, now, providers } = work
  const provider = providers.find((one) => one.name === name)
  if (provider === undefined) return noProvider(name, providers)
  const claims: Claims = JSON.parse(payload)
  const conditions = [issuerStep(claims, provider), ...conditionSteps(claims, provider)]
  const account = await accountStep(tables, claims, provider)
  const steps = [...conditions, account, freshStep(claims, now)]
  const failed = [...conditions, account].find(({ passed }) => !passed)
  return failed === undefined
    ? { allowed: true, detail: `The sign-in would open a session: ${account.detail}.`, steps }
    : { allowed: false, detail: `The hub would refuse the sign-in: ${failed.detail}.`, steps }
}

function issuerStep({ iss }: Claims, { issuer }: ProviderRules): Step {
  const passed = iss === issuer
  const detail = passed
    ? `the issuer is ${issuer}`
    : `the issuer is ${quoteGiven(iss)}, and the provider is ${issuer}`
  return { step: 'issuer', passed, detail }
}

function conditionSteps(claims: Claims, { claims: required, ...rules }: ProviderRules): Step[] {
  const judge = (conditions: Pick<ProviderRules, 'groups' | 'claims'>, holds: string): Step => {
    const unmet = unmetCondition({ claims }, { ...rules, ...conditions })
    return { step: 'condition', passed: unmet === undefined, detail: unmet ?? holds }
  }
  const ofClaims = Object.entries(required).map(([name, value]) =>
    judge({ groups: [], claims: { [name]: value } }, `the claim ${name} is ${quoteGiven(value)}`),
  )
  const { groups } = rules
  if (groups.length === 0) return ofClaims
  return [...ofClaims, judge({ groups, claims: {} }, 'one of the groups is allowed')]
}

async function accountStep(
  tables: Reading,
  claims: Claims,
  { issuer, nameClaim }: ProviderRules,
): Promise<Step> {
  const step = (passed: boolean, detail: string): Step => ({ step: 'account', passed, detail })
  const { sub: subject, [nameClaim]: name } = claims
  if (typeof subject !== 'string' || subject === '') return step(false, 'the id token has no sub')
  const linked = await findLinkedAccount(tables, { issuer, subject })
  if (linked?.disabled === 1) return step(false, `the account "${linked.name}" is disabled`)
  if (linked !== undefined) return step(true, `the identity is linked to "${linked.name}"`)
  if (typeof name !== 'string' || !isName(name)) {
    return step(false, `the claim ${nameClaim} has no name that an account can have`)
  }
  if (await isNameTaken(tables, name)) {
    return step(false, `the name "${name}" is taken; "latchkey account link" links the identity`)
  }
  return step(true, `the hub would make the account "${name}"`)
}

function freshStep({ auth_time }: Claims, now: UnixSeconds): Step {
  const authTime = typeof auth_time === 'number' ? (auth_time as UnixSeconds) : undefined
  const passed = freshUntil({ authTime }, now) !== null
  const age = authTime === undefined ? undefined : now - authTime
  const detail =
    age === undefined
      ? 'the id token has no auth_time, so the session is not fresh'
      : `the provider asked the person ${age} s ago, so a session that asks for it is ${passed ? '' : 'not '}fresh`
  return { step: 'fresh', passed, detail }
}

function noProvider(name: string, all: readonly ProviderRules[]): Refusal {
  const names = all.map((one) => one.name).join(', ')
  return refuse(
    'resource_not_found',
    `These settings have no identity provider "${name}". They have ${names || 'none'}.`,
  )
}
