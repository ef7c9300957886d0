/** Finds out at the start whether a bucket can keep objects: a store that ignores conditions would lose some. */

import type { UnixSeconds } from '@latchkey/protocol'
import { CannotStart } from '@latchkey/service/machine/errors'
import type { RandomBytes } from '@latchkey/service/machine/random'
import { DiskFull, type S3Place, type StoreNeeds, StoreUnavailable } from '../object-store.ts'
import { probesPrefix } from './names.ts'
import { isReplacedLate } from './probe-late-put.ts'
import { type Removal, removeWhole } from './remove-whole.ts'
import type { S3Client } from './s3-client.ts'

interface Preparing {
  readonly place: S3Place
  readonly needs: StoreNeeds
  readonly randomBytes: RandomBytes
}

export interface PreparedBucket {
  /** Why clients may not put objects into it themselves. */
  readonly grantsFlaw?: string | undefined
}

export async function prepareBucket(
  client: S3Client,
  { place, randomBytes, needs }: Preparing,
): Promise<PreparedBucket> {
  const name = `${probesPrefix}${randomBytes(16).toString('hex')}`
  try {
    const hasVersions = (await client.versioning()) !== 'off'
    const ofGrants = `${name}-late`
    try {
      const flaw = await conditionFlaw(client, name)
      if (flaw !== undefined) throw new CannotStart(flawText(place, flaw))
      if (needs.directDownloads) await probeRanges(client, place, name)
      if (place.publicEndpoint === undefined) return {}
      return (await isReplacedLate(client, ofGrants)) ? { grantsFlaw: lateFlaw } : {}
    } finally {
      await removeWhole({ client, hasVersions }, name)
      if (place.publicEndpoint !== undefined) await removeWhole({ client, hasVersions }, ofGrants)
    }
  } catch (error) {
    // What is there can be read; the first upload that finds room is kept.
    if (error instanceof DiskFull) return { grantsFlaw: fullFlaw }
    if (!(error instanceof StoreUnavailable)) throw error
    throw new CannotStart(`Content cannot be kept in S3: ${error.message}.`)
  }
}

/** A process that was killed while it started has left its probe. */
export async function sweepProbes(
  removal: Removal,
  olderThan: UnixSeconds,
  isDryRun: boolean,
): Promise<{ count: number; bytes: number }> {
  const swept = { count: 0, bytes: 0 }
  for await (const { key, bytes, changedAt } of removal.client.list(probesPrefix)) {
    if (changedAt >= olderThan) continue
    if (!isDryRun) await removeWhole(removal, key)
    swept.count += 1
    swept.bytes += bytes
  }
  return swept
}

/** The header that the store ignores. */
async function conditionFlaw(client: S3Client, name: string): Promise<string | undefined> {
  const [one, other] = [Buffer.from('one'), Buffer.from('another')]
  const first = await client.put(name, one, { ifNoneMatch: '*' })
  if ((await client.put(name, other, { ifNoneMatch: '*' })) !== 'exists') return 'If-None-Match'
  if (first === 'exists') return undefined
  const second = await client.put(name, other, { ifMatch: first.etag })
  if (second === 'exists') return 'If-Match'
  const isStale = (await client.put(name, one, { ifMatch: first.etag })) === 'exists'
  return isStale ? undefined : 'If-Match'
}

const lateFlaw =
  'the store looks at If-None-Match only when a transfer begins, so that a client could replace an object'

const fullFlaw = 'the store was full at the start'
/** A client that may see a part of an object would get all of it from a store that does not compare the range. */
async function probeRanges(client: S3Client, place: S3Place, name: string): Promise<void> {
  const { grantCredentials: credentials, endpoint } = place
  const [signed, other] = [
    { start: 0, end: 0 },
    { start: 1, end: 1 },
  ]
  const url = (await client.signedRanges({ seconds: probeSeconds, credentials }))(name, signed)
  const status = await client.tryRange(url, signed)
  if (status !== 206) {
    throw new CannotStart(
      `Clients cannot download from the store at ${endpoint}: it responds ${status} to a signed URL of an object. Check the permissions and the clock, or turn objects.directDownloads off.`,
    )
  }
  if ((await client.tryRange(url, other)) < 400) {
    throw new CannotStart(
      `Clients must not download from the store at ${endpoint}: it opens a URL that was signed for one range for another range too. Use another store, or turn objects.directDownloads off.`,
    )
  }
}

const probeSeconds = 60

function flawText({ bucket, endpoint }: S3Place, header: string): string {
  return `The store at ${endpoint} does not honour ${header} in requests that write to the bucket ${bucket}, so that two processes could overwrite each other. Use a store, or a release of it, with conditional writes.`
}
