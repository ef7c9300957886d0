/** The keys of a secret-scanning partner, from a file in the form of GitHub's `/meta/public_keys/secret_scanning`. */

import { createPublicKey, type KeyObject, verify } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { CannotStart } from '@latchkey/service/machine/errors'
import type { Stopwatch } from '@latchkey/service/machine/time'
import { z } from 'zod'

export interface SignedReport {
  readonly identifier: string
  /** Base64 of a DER signature, as the header has it. */
  readonly signature: string
  readonly body: Uint8Array
}

export type VerifyPartner = (signed: SignedReport) => boolean

const keyFile = z.object({
  public_keys: z.array(z.object({ key_identifier: z.string().min(1), key: z.string() })).min(1),
})

type Keys = ReadonlyMap<string, KeyObject>

/** Partners change their keys. The file is read again for an unknown key, but not for every stranger's guess. */
const readAgainMs = 60_000

export function openPartnerKeys(file: string, stopwatch: Stopwatch): VerifyPartner {
  let keys = readKeys(file)
  let readAt = stopwatch()
  const keyOf = (identifier: string): KeyObject | undefined => {
    if (!keys.has(identifier) && stopwatch() - readAt >= readAgainMs) {
      readAt = stopwatch()
      keys = keysUnlessBroken(file) ?? keys
    }
    return keys.get(identifier)
  }
  return ({ identifier, signature, body }) => {
    const key = keyOf(identifier)
    return key !== undefined && verify('sha256', body, key, Buffer.from(signature, 'base64'))
  }
}

/** A file that is being replaced, or was replaced by a wrong one, leaves the keys as they are. */
function keysUnlessBroken(file: string): Keys | undefined {
  try {
    return readKeys(file)
  } catch (error) {
    if (error instanceof CannotStart) return undefined
    throw error
  }
}

function readKeys(file: string): Keys {
  try {
    const { public_keys } = keyFile.parse(JSON.parse(readFileSync(file, 'utf8')))
    return new Map(public_keys.map(({ key_identifier, key }) => [key_identifier, publicKey(key)]))
  } catch {
    throw new CannotStart(
      `revoke.partnerKeys: ${file} cannot be read, or is not a list of P-256 keys. It needs the form {"public_keys":[{"key_identifier":"…","key":"-----BEGIN PUBLIC KEY-----…"}]}, as GitHub publishes it.`,
    )
  }
}

function publicKey(pem: string): KeyObject {
  const key = createPublicKey(pem)
  if (key.asymmetricKeyDetails?.namedCurve !== 'prime256v1') throw new Error('another kind of key')
  return key
}
