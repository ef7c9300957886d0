/** Reads and writes the marker of an object store. */

export interface StoreSide {
  /** The id of the catalogue that the objects belong to. */
  readonly catalogue: string
  readonly incarnation: string
  readonly mark: string
  /** When a catalogue took the store, and when one used it last: for people. */
  readonly adoptedAt: string
  readonly usedAt: string
}

const members: readonly (keyof StoreSide)[] = [
  ...(['catalogue', 'incarnation', 'mark', 'adoptedAt', 'usedAt'] as const),
]

export function markerText(side: StoreSide): string {
  return `${JSON.stringify(side, undefined, 2)}\n`
}

/** Undefined for what no storage has written. */
export function parseMarker(text: string): StoreSide | undefined {
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch {
    return undefined
  }
  const isWhole = members.every((name) => typeof Object(value)[name] === 'string')
  return isWhole ? (value as StoreSide) : undefined
}
