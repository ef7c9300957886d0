import { findFrontMatter, maxHeadLength, maxYamlLength } from './front-matter.ts'
import { isMembers, parseYaml, YamlFlaw, type YamlMembers } from './parse-yaml.ts'

export type CardData = YamlMembers

export interface CardFlaw {
  readonly flaw: string
}

/** Empty where there is no metadata. */
export function readCard(text: string): { readonly data: CardData } | CardFlaw {
  const head = text.slice(0, maxHeadLength)
  const block = findFrontMatter(head)
  const isCutOff = block === undefined && head.length < text.length
  if (isCutOff && findFrontMatter(`${head}\n---`) !== undefined) {
    return { flaw: `The metadata has more than ${maxYamlLength} characters.` }
  }
  const read = parseYaml(block?.yaml ?? '')
  if (read instanceof YamlFlaw) {
    return { flaw: `Line ${read.line + (block?.linesBefore ?? 0)} ${read.message}.` }
  }
  const { value } = read
  if (value === null) return { data: {} }
  return isMembers(value) ? { data: value } : { flaw: 'The metadata must be members with values.' }
}
