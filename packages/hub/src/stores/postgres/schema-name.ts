/** Where a hub has its tables in PostgreSQL. */

export const hubSchema = 'latchkey_hub'
