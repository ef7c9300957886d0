/** The card of a repository: what its README.md says about it. */

import { findFrontMatter } from './front-matter.ts'
import { longestYaml, parseYaml } from './parse-yaml.ts'
import { YamlFlaw } from './yaml-lines.ts'
import type { Yaml } from './yaml-value.ts'

export type CardData = { readonly [member: string]: Yaml }

export interface CardFlaw {
  readonly flaw: string
}

/** Metadata and the two lines around it. Of a longer text no more is looked at. */
const longestHead = longestYaml + 1024

/** Empty where there is no metadata. */
export function readCard(text: string): { readonly data: CardData } | CardFlaw {
  const head = text.slice(0, longestHead)
  const block = findFrontMatter(head)
  const isCutOff = block === undefined && head.length < text.length
  if (isCutOff && findFrontMatter(`${head}\n---`) !== undefined) {
    return { flaw: `The metadata has more than ${longestYaml} characters.` }
  }
  const read = parseYaml(block?.yaml ?? '')
  if (read instanceof YamlFlaw) {
    return { flaw: `Line ${read.line + (block?.linesBefore ?? 0)} ${read.message}.` }
  }
  const { value } = read
  if (value === null) return { data: {} }
  return isData(value) ? { data: value } : { flaw: 'The metadata must be members with values.' }
}

function isData(value: Yaml): value is CardData {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
