/** The place of the content from the configuration: a bucket, where one is named. */

import { join } from 'node:path'
import { isPlainHttp } from '@latchkey/protocol'
import { quoteGiven } from '@latchkey/service/text'
import type { S3Place } from '@latchkey/storage'
import { wrongUsage } from '../output/stop.ts'
import { credentialsOf } from './objects-kinds.ts'
import type { Configuration } from './read-configuration.ts'
import { caCertificates } from './trust-ca-cert.ts'

/** Empty if the content is in the data directory. */
export function storageObjects(
  configuration: Configuration,
  data: string,
): { readonly objects?: S3Place; readonly directDownloads?: boolean } {
  const { values, called, awsVariables, containerToken } = configuration
  const { objects: part, 'objects.endpoint': endpoint } = values
  const { 'objects.credentials': secret, 'objects.grantCredentials': grantSecret } = values
  if (part === undefined) {
    refuseIdle(called)
    return {}
  }
  for (const key of ['objects.endpoint', 'objects.publicEndpoint'] as const) {
    const url = values[key]
    if (url === undefined || !isPlainHttp(url) || values.allowPlainHttp) continue
    throw wrongUsage(
      `${called.get(key)}: ${quoteGiven(url)} is plain http, which exposes the content; use https, or pass --allow-plain-http`,
    )
  }
  const region = regionOf(configuration)
  return {
    objects: {
      kind: 's3',
      ...part,
      endpoint: endpoint ?? `https://s3.${region}.amazonaws.com`,
      region,
      // No certificate has a name of this depth.
      isPathStyle:
        values['objects.pathStyle'] ?? (endpoint !== undefined || part.bucket.includes('.')),
      encryption: values['objects.encryption'],
      ...(secret === undefined
        ? { awsVariables, ...(containerToken && { containerToken }) }
        : { credentials: credentialsOf(secret) }),
      caCertificates: caCertificates(configuration),
      publicEndpoint: values['objects.publicEndpoint'],
      ...(grantSecret !== undefined && { grantCredentials: credentialsOf(grantSecret) }),
      scratch: scratchIn(data),
    },
    ...downloadsOf(configuration),
  }
}

/** `s3://bucket/prefix`; null if the content is in the data directory. */
export function bucketOf({ values }: Configuration): string | null {
  const { objects } = values
  return objects === undefined ? null : `s3://${objects.bucket}/${objects.prefix}`
}

/** Below the data directory of a storage whose content is in a bucket: uploads that run. */
function scratchIn(data: string): string {
  return join(data, 'scratch')
}

function regionOf({ values }: Configuration): string {
  const { 'objects.region': named, 'objects.endpoint': endpoint } = values
  const region = named ?? (endpoint === undefined ? undefined : 'us-east-1')
  if (region !== undefined) return region
  throw wrongUsage(
    '--objects: Amazon S3 needs the region of the bucket, and none is given; pass --objects-region, or set AWS_REGION. For another store, pass --objects-endpoint',
  )
}

function downloadsOf({ values, called }: Configuration): { readonly directDownloads?: boolean } {
  const { 'objects.directDownloads': isDirect, 'objects.publicEndpoint': origin } = values
  if (!isDirect) return {}
  if (origin !== undefined) return { directDownloads: true }
  throw wrongUsage(
    `${called.get('objects.directDownloads')}: clients need to reach the object store; pass its address for them as --objects-public-endpoint too`,
  )
}

/** A bucket that was meant and not named would fill the disk. */
function refuseIdle(called: Configuration['called']): void {
  const idle = [...called].find(([key]) => key.startsWith('objects.'))
  if (idle === undefined) return
  throw wrongUsage(`${idle[1]}: no bucket is named; pass --objects s3://BUCKET/PREFIX too`)
}
