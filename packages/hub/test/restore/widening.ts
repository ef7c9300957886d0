/** Changes that give more than there was, of the kinds that the journal marks as narrowing. */

import fc, { type Arbitrary } from 'fast-check'
import type { Step } from '../journal/steps.ts'
import { arbitraryGrant, arbitraryPattern } from '../permission/arbitraries.ts'

const repository = 'models/acme/bert'

/** A hub token that a widening change can give more. */
export const limitedToken: Step = {
  do: 'verb',
  words: 'hub-token create',
  input: {
    account: 'bob',
    name: 'limited',
    kind: 'fine-grained',
    grants: [{ on: repository, contents: 'read', refs: ['dev', 'refs/tags/*'] }],
  },
}

function step(words: string, input: Arbitrary<object>): Arbitrary<Step> {
  return input.map((given) => ({ do: 'verb', words, input: given }))
}

const hubToken = fc.nat({ max: 5 })
const all = { on: '*', contents: 'write' as const }
const grants = fc.oneof(
  fc.constant([all]),
  fc.array(arbitraryGrant, { minLength: 1, maxLength: 3 }).map((some) => [...some, all]),
)

export const wideningSteps: Arbitrary<Step[]> = fc.array(
  fc.oneof(
    step('hub-token set', fc.record({ hubToken, grants })),
    step('ref-rule delete', fc.constantFrom({ repository, pattern: 'main' })),
    step(
      'ref-rule set',
      arbitraryPattern.map((pattern) => ({ repository, pattern, write: 'write' })),
    ),
    step('collaborator set', fc.constant({ repository, account: 'bob', role: 'admin' })),
  ),
  { maxLength: 4 },
)
