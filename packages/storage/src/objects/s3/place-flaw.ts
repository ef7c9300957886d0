/** Checks the names of a bucket and a prefix before they become part of a URL. */

import { quoteGiven } from '@latchkey/service/text'
import type { S3Place } from '../object-store.ts'

/** Undefined if objects can be kept there; otherwise a sentence for an operator. */
export function placeFlaw({
  bucket,
  prefix,
  endpoint,
  region,
}: Pick<S3Place, 'bucket' | 'prefix' | 'endpoint' | 'region'>): string | undefined {
  if (!/^[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]$/.test(bucket) || bucket.includes('..')) {
    return `${quoteGiven(bucket)} is no name of a bucket; it has 3 to 63 lower-case letters, digits, hyphens and dots`
  }
  if (!isPrefix(prefix)) {
    return `${quoteGiven(prefix)} is no prefix of keys; it is empty, or has parts of letters, digits, "-", "_", "." and "=", each followed by "/", in at most 200 characters`
  }
  if (!isOrigin(endpoint)) {
    return `${quoteGiven(endpoint)} is no endpoint of a store; give its scheme, host and port, such as https://s3.example:9000`
  }
  if (!/^[A-Za-z0-9-]{1,64}$/.test(region)) {
    return `${quoteGiven(region)} is no region; it has letters, digits and hyphens, such as us-east-1`
  }
  return undefined
}

function isPrefix(prefix: string): boolean {
  return prefix.length <= 200 && /^(?:(?!\.{1,2}\/)[A-Za-z0-9._=-]+\/)*$/.test(prefix)
}

function isOrigin(endpoint: string): boolean {
  const url = URL.parse(endpoint)
  return url !== null && /^https?:$/.test(url.protocol) && url.origin === endpoint
}
