/** The kinds of value of the options that place content in an object store. */

import { isIP } from 'node:net'
import { Secret } from '@latchkey/protocol'
import type { S3Credentials, S3Encryption, S3Place } from '@latchkey/storage'
import { textOf } from '../reading/members-of.ts'
import type { Kind } from './kind.ts'

/** A bucket, or the part of one whose keys begin with the prefix. */
export type BucketPart = Pick<S3Place, 'bucket' | 'prefix'>

/** Keys have 1024 bytes at most, and what stands behind the prefix takes some of them. */
const maxPrefixLength = 512

export const bucketUrl: Kind<BucketPart> = {
  placeholder: 's3://BUCKET/PREFIX',
  allowed: `s3://BUCKET or s3://BUCKET/PREFIX: a bucket has 3 to 63 lower-case letters, digits, "-" and ".", and is no IP address; a prefix has at most ${maxPrefixLength} letters, digits, "-", "_", "." and "=", in parts separated by single "/", none of them "." or ".."`,
  fromText: (text) => text,
  read(value) {
    const [, bucket, prefix] = /^s3:\/\/([^/]*)(?:\/(.+))?$/s.exec(textOf(value) ?? '') ?? []
    if (bucket === undefined || !isBucket(bucket)) return undefined
    if (prefix === undefined) return { bucket, prefix: '' }
    return isKeyPrefix(prefix) ? { bucket, prefix: `${prefix}/` } : undefined
  },
}

function isBucket(name: string): boolean {
  return /^[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]$/.test(name) && !name.includes('..') && isIP(name) === 0
}

/** Some stores and proxies change other characters, or treat `.` and `..` as a path. */
function isKeyPrefix(prefix: string): boolean {
  const parts = prefix.split('/')
  return (
    prefix.length <= maxPrefixLength &&
    parts.every((part) => /^[A-Za-z0-9._=-]+$/.test(part) && part !== '.' && part !== '..')
  )
}

export const storeOrigin: Kind<string> = {
  placeholder: 'URL',
  allowed: 'an http or https URL without a path, such as https://s3.example:9000',
  fromText: (text) => text,
  read(value) {
    const url = URL.parse(textOf(value) ?? '')
    const isOrigin = url !== null && /^https?:$/.test(url.protocol) && url.origin === value
    return isOrigin ? url.origin : undefined
  },
}

export const region: Kind<string> = {
  placeholder: 'name',
  allowed: 'a region such as eu-central-1: lower-case letters, digits and "-"',
  fromText: (text) => text,
  read: (value) => /^[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/.exec(textOf(value) ?? '')?.[0],
}

export const encryption: Kind<S3Encryption> = {
  placeholder: 'AES256|aws:kms|aws:kms:KEY',
  allowed: 'AES256, aws:kms, or aws:kms:KEY with the id or the ARN of a key',
  fromText: (text) => text,
  read(value) {
    const text = textOf(value) ?? ''
    if (text === 'AES256') return { algorithm: 'AES256' }
    if (text === 'aws:kms') return { algorithm: 'aws:kms' }
    const [, kmsKeyId] = /^aws:kms:([A-Za-z0-9:/_-]{1,2048})$/.exec(text) ?? []
    return kmsKeyId === undefined ? undefined : { algorithm: 'aws:kms', kmsKeyId }
  },
}

/** In the form of a credentials file of AWS, which has one profile. */
export const storeCredentials: Kind<Secret<'s3-credentials'>> = {
  placeholder: 'credentials',
  allowed:
    'lines "aws_access_key_id = …" and "aws_secret_access_key = …", perhaps "aws_session_token = …", as a credentials file of AWS has them for one profile',
  fromText: (text) => text,
  read(value) {
    if (value instanceof Secret) return value
    const read = credentialsIn(textOf(value) ?? '')
    return read && secretOf(read)
  },
}

const members = {
  aws_access_key_id: 'accessKeyId',
  aws_secret_access_key: 'secretAccessKey',
  aws_session_token: 'sessionToken',
} as const

function credentialsIn(text: string): S3Credentials | undefined {
  const found = new Map<string, string>()
  const lines = text.split('\n').map((line) => line.trim())
  const [first = '', ...rest] = lines.filter((line) => line !== '' && !/^[#;]/.test(line))
  for (const line of /^\[[^\]]+\]$/.test(first) ? rest : [first, ...rest]) {
    const [, name = '', value = ''] = /^([a-z_]+)\s*=\s*(\S+)$/.exec(line) ?? []
    if (!Object.hasOwn(members, name) || found.has(name)) return undefined
    found.set(name, value)
  }
  const {
    aws_access_key_id: accessKeyId,
    aws_secret_access_key: secretAccessKey,
    ...more
  } = Object.fromEntries(found)
  return madeCredentials({ accessKeyId, secretAccessKey, sessionToken: more['aws_session_token'] })
}

/** Undefined where a part is missing, or one that no header can have. */
export function madeCredentials({
  accessKeyId,
  secretAccessKey,
  sessionToken,
}: Readonly<Record<keyof S3Credentials, string | undefined>>): S3Credentials | undefined {
  const isPart = (part: string) => /^[\x21-\x7e]+$/.test(part)
  if (accessKeyId === undefined || secretAccessKey === undefined) return undefined
  if (![accessKeyId, secretAccessKey, sessionToken ?? 'none'].every(isPart)) return undefined
  return { accessKeyId, secretAccessKey, ...(sessionToken !== undefined && { sessionToken }) }
}

export function secretOf(credentials: S3Credentials): Secret<'s3-credentials'> {
  return new Secret('s3-credentials', JSON.stringify(credentials))
}

export function credentialsOf(secret: Secret<'s3-credentials'>): S3Credentials {
  return JSON.parse(secret.reveal())
}
