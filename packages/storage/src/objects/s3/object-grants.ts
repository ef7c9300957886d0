/** Lets clients put objects into a bucket themselves, each under a key of its own. */

import type { RandomBytes } from '@latchkey/service/machine/random'
import { readTable } from '../disk/tables.ts'
import type { DraftId, ObjectGrants, ObjectKey, S3Place } from '../object-store.ts'
import { objectName, tableName } from './names.ts'
import type { S3Client } from './s3-client.ts'

export interface GrantsDeps {
  readonly place: S3Place
  readonly openClient: () => Promise<S3Client>
  readonly randomBytes: RandomBytes
  readonly draftFile: (id: DraftId) => string
}

export function objectGrants({
  place: { publicEndpoint: endpoint, grantCredentials: credentials },
  openClient,
  randomBytes,
  draftFile,
}: GrantsDeps): ObjectGrants {
  return {
    async sign(put) {
      const key = randomBytes(16).toString('hex') as ObjectKey
      const client = await openClient()
      const signing = { ...put, endpoint, credentials }
      const { url, headers } = await client.signedPut(objectName(key), signing)
      return { key, method: 'PUT', url, headers }
    },
    async adopt(key, { id }) {
      const [client, table] = [await openClient(), await readTable(draftFile(id))]
      // Another commit of the same grant writes the same.
      await client.put(tableName(key), table.encoded(), { ifNoneMatch: '*' })
    },
  }
}
