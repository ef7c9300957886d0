/** The names of a hub's storages, as configuration, directory and credentials have them. */

export type StorageName = string & { readonly brand: 'storage-name' }

/** The storage at `casUrl`. */
export const defaultStorage = 'default' as StorageName

/** Ends the sentence "must be …". */
export const expectedStorageName =
  'the name of a storage: 1 to 32 lower-case letters, digits or "-", with a letter first and no "-" at the end'

export function parseStorageName(text: string): StorageName | undefined {
  return /^(?=.{1,32}$)[a-z][a-z0-9]*(?:-+[a-z0-9]+)*$/.test(text)
    ? (text as StorageName)
    : undefined
}

/** A storage beside the one at `casUrl`. */
export interface NamedStorage {
  readonly name: StorageName
  readonly casUrl: string
}
