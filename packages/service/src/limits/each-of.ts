/**
 * Works on so many items at a time, and takes the next one only then. The first that fails ends it; those under way are waited
 * for, so that nothing is written afterwards.
 */
export async function eachOf<Item>(
  items: Iterable<Item> | AsyncIterable<Item>,
  atOnce: number,
  work: (item: Item) => Promise<void>,
): Promise<void> {
  const waiting =
    Symbol.asyncIterator in items ? items[Symbol.asyncIterator]() : items[Symbol.iterator]()
  let failed: { readonly error: unknown } | undefined
  const lane = async () => {
    while (failed === undefined) {
      const next = await waiting.next()
      if (next.done) return
      await work(next.value)
    }
  }
  const end = (error: unknown) => {
    failed ??= { error }
  }
  await Promise.all(Array.from({ length: atOnce }, () => lane().catch(end)))
  if (failed !== undefined) throw failed.error
}
