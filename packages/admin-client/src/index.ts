/** The admin client: a function for each operation of a hub's admin API. */

export { type ErrorCode, LatchkeyError } from '@latchkey/client/token-client'
export { Secret } from '@latchkey/protocol'
export {
  type AdminClient,
  type AdminClientOptions,
  createAdminClient,
} from './create-admin-client.ts'
export { everyEntry } from './every-entry.ts'
export type * from './operations/types.ts'
export { textWithSecrets } from './wire/secrets.ts'
