/** The data directory of a storage that runs alone, with the key of its blob URLs. */

import { existsSync } from 'node:fs'
import { join } from 'node:path'
import type { Secret } from '@latchkey/protocol'
import { CannotStart } from '@latchkey/service/cannot-start'
import { prepareDataDirectory } from '@latchkey/service/data-directory'
import { isKeyFileThere, makeKeyFile, readKeyFile } from '@latchkey/service/key-file'

const keyName = 'blob-url-key'
const ofAHub = ['latchkey.db', 'latchkey.db.restoring', 'master.key']

/** Whether a storage has run alone on this data directory. */
export function isOwnData(data: string): boolean {
  return isKeyFileThere(join(data, keyName))
}

/** Makes both where they are missing; gives the key. */
export function openOwnData(data: string): Secret<'blob-url-key'> {
  if (ofAHub.some((file) => existsSync(join(data, file)))) {
    throw new CannotStart(
      `the data directory ${data} holds the data of a hub, whose storage "latchkey serve" runs. Choose another with --data.`,
    )
  }
  prepareDataDirectory(data, { create: true, missing: '', ownFiles: [keyName] })
  const file = join(data, keyName)
  if (!isKeyFileThere(file)) makeKeyFile(file)
  return readKeyFile(
    'blob-url-key',
    file,
    'Remove it, and the next start makes a new one; clients then ask anew for the URLs they hold.',
  )
}
