/** Validates a card for `/api/validate-yaml`. */

import { type CardData, readCard } from './card.ts'
import type { Yaml } from './parse-yaml.ts'

export interface Message {
  readonly message: string
}

export interface Validation {
  readonly errors: readonly Message[]
  readonly warnings: readonly Message[]
}

type Rule = readonly [isValid: (value: Yaml) => boolean, must: string]

const text: Rule = [(value) => typeof value === 'string', 'must be a text']
const texts: Rule = [isTexts, 'must be a list of texts']
const textOrTexts: Rule = [
  (value) => typeof value === 'string' || isTexts(value),
  'must be a text or a list of texts',
]
const list: Rule = [(value) => Array.isArray(value), 'must be a list']

/** Members that clients and listings read. All others are free. */
const rules: Readonly<Record<string, Rule>> = {
  license: textOrTexts,
  language: textOrTexts,
  tags: texts,
  datasets: textOrTexts,
  metrics: textOrTexts,
  base_model: textOrTexts,
  pipeline_tag: text,
  library_name: text,
  pretty_name: text,
  'model-index': list,
}

export function validateCard(card: string): Validation {
  const read = readCard(card)
  if ('flaw' in read) return { errors: [{ message: read.flaw }], warnings: [] }
  const isEmpty = Object.keys(read.data).length === 0
  return {
    errors: errorsIn(read.data),
    warnings: isEmpty ? [{ message: 'The card has no metadata between two lines of ---.' }] : [],
  }
}

function errorsIn(data: CardData): Message[] {
  return Object.entries(data).flatMap(([member, value]) =>
    isValidMember(member, value) ? [] : [{ message: `"${member}" ${rules[member]?.[1]}.` }],
  )
}

/** Whether clients can read the member. */
export function isValidMember(member: string, value: Yaml): boolean {
  const rule = Object.hasOwn(rules, member) ? rules[member] : undefined
  return rule === undefined || value === null || rule[0](value)
}

function isTexts(value: Yaml): boolean {
  return Array.isArray(value) && value.every((one) => typeof one === 'string')
}
