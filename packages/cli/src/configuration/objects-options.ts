import type { Secret } from '@latchkey/protocol'
import type { S3Encryption } from '@latchkey/storage'
import * as kinds from './kind.ts'
import {
  type BucketPart,
  bucketUrl,
  encryption,
  region,
  storeCredentials,
  storeOrigin,
} from './objects-kinds.ts'
import { type Option, option } from './option.ts'

const takers = ['serve', 'storage', 'maintenance', 'backup'] as const

const row = { group: 'Storage', takers } as const satisfies Partial<Option<unknown>>

const forClients = { group: 'Storage', takers: ['serve', 'storage'] } as const

export const objectsOptions = {
  objects: option<BucketPart | undefined>({
    ...row,
    kind: bucketUrl,
    default: undefined,
    defaultText: 'the data directory',
    summary:
      'The bucket that keeps the content, in a store that speaks S3. The data directory then holds uploads only while they run.',
  }),
  'objects.endpoint': option<string | undefined>({
    ...row,
    kind: storeOrigin,
    default: undefined,
    defaultText: 'Amazon S3 in the region',
    summary: 'The origin of the object store.',
  }),
  'objects.region': option<string | undefined>({
    ...row,
    kind: region,
    default: undefined,
    defaultText: 'AWS_REGION, or us-east-1 with an endpoint',
    summary: 'The region of the bucket.',
  }),
  'objects.pathStyle': option<boolean | undefined>({
    ...row,
    kind: kinds.onOff,
    default: undefined,
    defaultText: 'on with an endpoint, off without',
    summary: 'Write the bucket into the path of a URL, not into its host name.',
  }),
  'objects.encryption': option<S3Encryption | undefined>({
    ...row,
    kind: encryption,
    default: undefined,
    defaultText: 'as the bucket is set up',
    summary: 'The server-side encryption of new objects.',
  }),
  'objects.publicEndpoint': option<string | undefined>({
    ...forClients,
    kind: storeOrigin,
    default: undefined,
    defaultText: 'none; clients send every byte to the storage',
    summary:
      'The origin at which clients reach the object store. With it, clients may upload xorbs there by grant.',
  }),
  'objects.directDownloads': option<boolean>({
    ...forClients,
    kind: kinds.onOff,
    default: false,
    summary:
      'Let clients download from the object store at objects.publicEndpoint. A download that has begun then runs to its end, also after its token was revoked.',
  }),
  'objects.grantCredentials': option<Secret<'s3-credentials'> | undefined>({
    ...forClients,
    kind: storeCredentials,
    default: undefined,
    defaultText: 'those of the storage',
    summary:
      'The credentials that sign requests of clients to the object store, limited to the prefix.',
    secret: true,
  }),
  'objects.credentials': option<Secret<'s3-credentials'> | undefined>({
    ...row,
    kind: storeCredentials,
    default: undefined,
    defaultText:
      'AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, or the profile or role of this machine',
    summary: 'The credentials for the bucket, in the form of a credentials file of AWS.',
    secret: true,
  }),
} as const
