/** The card of a repository: what its README.md says about it. */

import { findFrontMatter, longestHead, longestYaml } from './front-matter.ts'
import { isMembers, parseYaml, YamlFlaw, type YamlMembers } from './parse-yaml.ts'

export type CardData = YamlMembers

export interface CardFlaw {
  readonly flaw: string
}

/** The members that listings and clients read, in one shape each. */
export interface CardMetadata {
  /** All that the card says, with at most as many values as `mostValues`. */
  readonly data: CardData
  readonly tags: readonly string[]
  readonly licenses: readonly string[]
  readonly languages: readonly string[]
  readonly pipelineTag: string | undefined
  readonly libraryName: string | undefined
}

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
  return isMembers(value) ? { data: value } : { flaw: 'The metadata must be members with values.' }
}

/** Undefined where the metadata cannot be read. A member of the wrong type counts as absent. */
export function readCardMetadata(text: string): CardMetadata | undefined {
  const read = readCard(text)
  if ('flaw' in read) return undefined
  const { data } = read
  return {
    data,
    tags: textsIn(data, 'tags'),
    licenses: textsIn(data, 'license'),
    languages: textsIn(data, 'language'),
    pipelineTag: textsIn(data, 'pipeline_tag')[0],
    libraryName: textsIn(data, 'library_name')[0],
  }
}

function textsIn(data: CardData, member: string): readonly string[] {
  const value = Object.hasOwn(data, member) ? data[member] : undefined
  const all = Array.isArray(value) ? value : [value]
  return all.filter((one) => typeof one === 'string')
}
