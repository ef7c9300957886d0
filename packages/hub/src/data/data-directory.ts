/** The data directory of a hub. */

import { prepareDataDirectory as prepare } from '@latchkey/service/machine/data-directory'

export function prepareDataDirectory(
  data: string,
  { create }: { create: boolean },
): readonly string[] {
  const missing =
    'Name an existing one with --data, or make one with "latchkey serve" or "latchkey apply".'
  return prepare(data, { create, missing, ownFiles: ['master.key', 'latchkey.db'] })
}
