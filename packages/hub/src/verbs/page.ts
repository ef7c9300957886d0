/** A page of a list, made from its rows. */

export interface Page<Item> {
  readonly items: Item[]
  readonly total: number
  readonly next?: string
}

/** `rows` were asked for with one more than `limit`, which tells whether there is a next page. */
export function makePage<Row, Item>(
  { rows, total, limit }: { rows: readonly Row[]; total: number; limit: number },
  show: (row: Row) => Item,
  cursor: (row: Row) => string,
): Page<Item> {
  const shown = rows.slice(0, limit)
  const last = shown.at(-1)
  return {
    items: shown.map(show),
    total,
    ...(rows.length > limit && last !== undefined ? { next: cursor(last) } : {}),
  }
}
