/** The facts of a card that listings show: the members that clients can read, and the tags that follow from them. */

import { jsonBytes } from '../../words/json-bytes.ts'
import { type CardData, readCard } from './card.ts'
import { isValidMember } from './validate-card.ts'

type Value = CardData[string]

/** Texts alone: a thread that passes on objects makes the event loop build them again. */
export interface CardFacts {
  /** JSON, bounded in bytes. */
  readonly cardData: string
  /** JSON: the member of this name. */
  readonly modelIndex?: string
  readonly tags: readonly string[]
  readonly pipeline_tag?: string
  readonly library_name?: string
  readonly sdk?: string
}

/** Python clients pass members on as arguments, and have these arguments already. */
const refusedMembers = new Set(['self', 'ignore_metadata_errors', '__proto__'])

const [maxTags, maxTagLength] = [200, 128]

/** As JSON. The whole card is in README.md. */
const maxCardBytes = 64 * 1024

/** Members whose values are tags as they are. */
const plainTags = ['tags', 'library_name', 'pipeline_tag', 'language'] as const

/** Members whose values are tags behind a word. */
// biome-ignore format: a table is read by its columns
const wordedTags: readonly (readonly [member: string, word: string])[] = [
  ['license',         'license'],
  ['datasets',        'dataset'],
  ['base_model',      'base_model'],
  ['task_categories', 'task_categories'],
  ['task_ids',        'task_ids'],
  ['size_categories', 'size_categories'],
]

/** Undefined where the metadata cannot be read. */
export function readCardFacts(text: string, extraTags: readonly string[]): CardFacts | undefined {
  const read = readCard(text)
  return 'flaw' in read ? undefined : cardFacts(read.data, extraTags)
}

/** One member of a wrong type must not make a client fail for the whole list in which the card stands. */
function cardFacts(data: CardData, extraTags: readonly string[]): CardFacts {
  const members = Object.entries(data).filter(
    ([name, value]) => !refusedMembers.has(name) && isValidMember(name, value),
  )
  const cardData = Object.fromEntries(withinBytes(members))
  const textOf = (name: string) => textsIn(cardData[name])[0]
  const [pipeline, library, sdk] = [textOf('pipeline_tag'), textOf('library_name'), textOf('sdk')]
  const index = cardData['model-index']
  return {
    cardData: JSON.stringify(cardData),
    ...(index === undefined ? {} : { modelIndex: JSON.stringify(index) }),
    tags: tagsOf(cardData, extraTags),
    ...(pipeline === undefined ? {} : { pipeline_tag: pipeline }),
    ...(library === undefined ? {} : { library_name: library }),
    ...(sdk === undefined ? {} : { sdk }),
  }
}

/** The smallest members first, and the results of evaluations last: they are the longest of an honest card. */
function withinBytes(members: readonly (readonly [string, Value])[]) {
  const sized = members.map(([name, value]) => ({
    ...{ name, value, isLast: name === 'model-index' },
    bytes: jsonBytes([name, value], maxCardBytes),
  }))
  const inOrder = sized.toSorted(
    (one, other) => Number(one.isLast) - Number(other.isLast) || one.bytes - other.bytes,
  )
  const names = new Set<string>()
  let bytes = 0
  for (const member of inOrder) {
    bytes += member.bytes
    if (bytes <= maxCardBytes) names.add(member.name)
  }
  return members.filter(([name]) => names.has(name))
}

function tagsOf(data: CardData, extraTags: readonly string[]): readonly string[] {
  const tags = [
    ...plainTags.flatMap((member) => textsIn(data[member])),
    ...extraTags,
    ...wordedTags.flatMap(([member, word]) =>
      textsIn(data[member]).map((text) => `${word}:${text}`),
    ),
  ]
  const short = tags.filter((tag) => tag !== '' && tag.length <= maxTagLength)
  return [...new Set(short)].slice(0, maxTags)
}

function textsIn(value: Value | undefined): readonly string[] {
  const values: readonly Value[] = Array.isArray(value) ? value : [value ?? null]
  return values.filter((one) => typeof one === 'string')
}
