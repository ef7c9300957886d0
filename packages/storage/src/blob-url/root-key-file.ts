/** Where the root of all keys of blob URLs lies, for the programs that make, replace or look for it. */

/** The key file of a storage that runs alone. */
export const rootKeyName = 'blob-url-key'

/**
 * The key file of the storage that `latchkey serve` runs: its name shows that the data directory
 * belongs to a hub.
 */
export const embeddedRootKeyName = 'embedded-blob-url-key'

/** How long after a replacement a running storage may still accept URLs of the old root. */
export const noticeMs = 2000
