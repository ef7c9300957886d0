/** URLs that each open one range of one object without a token. */

import { createHmac, createSecretKey, hash } from 'node:crypto'
import type { S3Address } from './requests.ts'
import type { SignRange } from './s3-client.ts'
import {
  introOf,
  queryOf,
  type Signer,
  signerFields,
  signingKey,
  unsignedPayload,
} from './sign-request.ts'

const signedNames = ['host', 'range']

/** Computes first what the URLs of one response have in common: there may be thousands. */
export function rangeSigner(
  addressOf: (key: string) => S3Address,
  signer: Signer,
  seconds: number,
): SignRange {
  const query = queryOf(signerFields(signer, signedNames, seconds))
  const behind = `\n\n${signedNames.join(';')}\n${unsignedPayload}`
  const intro = introOf(signer)
  const signingSecret = createSecretKey(signingKey(signer))
  let last: { readonly key: string; readonly address: S3Address } | undefined
  return (key, { start, end }) => {
    // The ranges of one object come one after the other.
    if (last?.key !== key) last = { key, address: addressOf(key) }
    const { origin, host, path } = last.address
    const request = `GET\n${path}\n${query}\nhost:${host}\nrange:bytes=${start}-${end}${behind}`
    const signature = createHmac('sha256', signingSecret)
      .update(intro + hash('sha256', request))
      .digest('hex')
    return `${origin}${path}?${query}&X-Amz-Signature=${signature}`
  }
}
