/** Everything in a prepared data directory that nobody else may ever read. */

import { readFileSync } from 'node:fs'
import { DatabaseSync } from 'node:sqlite'
import { type Canary, hubTokenCanary, keyCanary } from '@latchkey/testing/hub/canary'
import type { Prepared } from '@latchkey/testing/hub/prepared-data'
import type { Algorithm } from '@latchkey/token'
import { exportSigningKey } from '@latchkey/token/signing'
import { parseMasterKey } from '../../src/keys/master-key.ts'
import { unsealKey } from '../../src/keys/seal.ts'

export function hubTokenCanaries({ tokens }: Prepared): readonly Canary[] {
  return Object.entries(tokens).map(([name, token]) => hubTokenCanary(`hub token ${name}`, token))
}

export function masterKeyCanary({ masterKey }: Prepared): Canary {
  return keyCanary('master key', Buffer.from(readFileSync(masterKey, 'utf8'), 'base64'))
}

/** The private numbers of the signing keys, which lie encrypted in the database. */
export async function privateKeyCanaries({ database, masterKey }: Prepared): Promise<Canary[]> {
  const master = parseMasterKey(readFileSync(masterKey, 'utf8'))
  if (master === undefined) throw new Error('the prepared data hold no master key')
  const opened = await Promise.all(sealedKeys(database).map((row) => unsealKey(row, master)))
  return opened.flatMap((key) => {
    if (key === undefined) throw new Error('the prepared key cannot be opened')
    const { d = '' } = key.privateKey.export({ format: 'jwk' })
    return [
      keyCanary('private number', Buffer.from(d, 'base64url')),
      keyCanary('private key', exportSigningKey(key)),
    ]
  })
}

type SealedKey = { kid: string; alg: Algorithm; sealed: string }

function sealedKeys(database: string): SealedKey[] {
  const connection = new DatabaseSync(database, { readOnly: true })
  const rows = connection.prepare('SELECT kid, alg, sealed FROM signing_keys').all()
  connection.close()
  return rows as unknown as SealedKey[]
}
