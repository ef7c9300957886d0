import { isFlagSet } from '../words/query.ts'

type Query = ReadonlyMap<string, readonly string[]>

/** Members that cost more than a row of the directory. */
export const costlyFields = [
  ...['cardData', 'tags', 'pipeline_tag', 'library_name', 'sdk', 'model-index'],
  ...['config', 'siblings', 'safetensors', 'usedStorage'],
] as const

export type CostlyField = (typeof costlyFields)[number]

/** Undefined where the client names none. */
function expanded(query: Query): ReadonlySet<CostlyField> | undefined {
  const names = [...(query.get('expand') ?? []), ...(query.get('expand[]') ?? [])]
  if (names.length === 0) return undefined
  return new Set(costlyFields.filter((field) => names.includes(field)))
}

export function fieldsOfOne(query: Query): ReadonlySet<CostlyField> {
  return expanded(query) ?? new Set(costlyFields)
}

/** A list has them where they are asked for. */
export function fieldsOfList(query: Query): ReadonlySet<CostlyField> {
  if (isFlagSet(query, 'full')) return new Set(costlyFields)
  const card: readonly CostlyField[] = ['cardData', 'tags', 'pipeline_tag', 'library_name', 'sdk']
  return (
    expanded(query) ??
    new Set<CostlyField>([
      ...(isFlagSet(query, 'cardData') ? card : []),
      ...(isFlagSet(query, 'config') ? (['config'] as const) : []),
    ])
  )
}
