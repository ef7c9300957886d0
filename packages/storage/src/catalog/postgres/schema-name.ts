/** Where a storage has its tables in PostgreSQL. */

export const storageSchema = 'latchkey_storage'
