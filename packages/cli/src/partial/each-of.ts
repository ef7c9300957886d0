/** The first that fails ends it; those under way are waited for, so that nothing is written afterwards. */
export async function eachOf<Item>(
  items: readonly Item[],
  atOnce: number,
  work: (item: Item) => Promise<void>,
): Promise<void> {
  const waiting = items.values()
  let failed: { readonly error: unknown } | undefined
  const lane = async () => {
    for (const item of waiting) {
      if (failed !== undefined) return
      await work(item).catch((error) => {
        failed ??= { error }
      })
    }
  }
  await Promise.all(Array.from({ length: atOnce }, lane))
  if (failed !== undefined) throw failed.error
}
