/** Where the root of all keys of blob URLs lies, for the programs that make, replace or look for it. */

/** Of a storage that runs alone. */
export const rootKeyName = 'blob-url-key'

/** Of the storage that `latchkey serve` runs: by the name it shows that the data directory is a hub's. */
export const embeddedRootKeyName = 'embedded-blob-url-key'

/** How long after a replacement a running storage may still accept URLs of the old root. */
export const noticeMs = 2000
