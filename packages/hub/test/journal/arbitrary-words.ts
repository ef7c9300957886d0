/** Arbitrary words of the directory; most name what histories have, some what they never have. */

import { roles } from '@latchkey/protocol'
import fc, { type Arbitrary } from 'fast-check'

export function mostly<Value>(usual: Arbitrary<Value>, seldom: Arbitrary<Value>): Arbitrary<Value> {
  return fc.oneof({ weight: 7, arbitrary: usual }, { weight: 1, arbitrary: seldom })
}

type Members = Readonly<Record<string, Arbitrary<unknown>>>

/** Members that are not required are often missing. */
export function some(required: Members, optional: Members = {}): Arbitrary<object> {
  return fc.record({ ...required, ...optional }, { requiredKeys: Object.keys(required) })
}

export const person = fc.constantFrom('ada', 'bob', 'cyd')
export const account = mostly(person, fc.constantFrom('Ada', 'nobody'))
export const namespace = mostly(fc.constantFrom('acme', 'beta'), fc.constant('Acme'))
export const repository = mostly(
  fc.constantFrom('models/acme/bert', 'datasets/beta/set'),
  fc.constant('spaces/none/such'),
)
export const branch = fc.constantFrom('main', 'dev', 'release/1')
export const movingRef = mostly<string>(branch, fc.constant('refs/pr/1'))
export const commit = fc.constantFrom('1', '2', '3').map((digit) => digit.repeat(40))
export const role = fc.constantFrom(...roles)
export const visibility = fc.constantFrom('public', 'private')
export const write = fc.constantFrom('write', 'admin')
export const flags = { administrator: fc.boolean(), disabled: fc.boolean() }
export const tokenName = fc.constantFrom('laptop', 'ci')
