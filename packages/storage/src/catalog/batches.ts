/** Cuts long lists, so that no statement keeps others waiting. */

const mostPerStatement = 250

export function* inBatches<Item>(
  items: readonly Item[],
  most = mostPerStatement,
): Generator<readonly Item[]> {
  for (let at = 0; at < items.length; at += most) yield items.slice(at, at + most)
}
