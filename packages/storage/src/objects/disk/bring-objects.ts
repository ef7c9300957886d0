/** Brings objects into a directory from a store of another kind. */

import { open, rename } from 'node:fs/promises'
import { syncToDisk } from '@latchkey/service/machine/files'
import { carrySome } from '../carry-some.ts'
import { unlessFull } from '../file-errors.ts'
import type { Carriage, CarriedObjects, ObjectKey, ObjectStore } from '../object-store.ts'
import { copyOf, makeFolders, placeOf, sizeOf } from './places.ts'

export async function bringObjects<Item extends { readonly key: ObjectKey }>(
  root: string,
  items: Iterable<Item>,
  { source, onProgress }: Pick<Carriage, 'onProgress'> & { readonly source: ObjectStore },
): Promise<CarriedObjects<Item>> {
  try {
    await makeFolders(root)
    const bring = (key: ObjectKey) => unlessFull(() => bringOne(root, key, source))
    return await carrySome(items, bring, { onProgress })
  } finally {
    await source.close()
  }
}

/** After a kill, garbage collection deletes a copy that is not whole. */
async function bringOne(root: string, key: ObjectKey, source: ObjectStore): Promise<number> {
  const table = await source.table(key)
  const rows = table.encoded()
  const bytes = table.packedBytes + rows.length
  const { file, folder } = placeOf(root, key)
  if ((await sizeOf(file)) === bytes) return bytes
  const copy = copyOf(file)
  const handle = await open(copy, 'w', 0o600)
  try {
    for await (const part of source.read(key, 0, table.packedBytes - 1)) {
      await handle.writeFile(part)
    }
    await handle.writeFile(rows)
    await handle.sync()
  } finally {
    await handle.close()
  }
  await rename(copy, file)
  await syncToDisk(folder)
  return bytes
}
