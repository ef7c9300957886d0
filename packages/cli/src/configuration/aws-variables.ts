/** The variables by which programs find a bucket of Amazon. */

import type { S3Credentials } from '@latchkey/storage'
import { wrongUsage } from '../output/stop.ts'
import type { GivenValue } from './given.ts'
import { madeCredentials, secretOf } from './objects-kinds.ts'
import type { OptionKey } from './options.ts'
import type { Environment } from './read-environment.ts'

const keyId = 'AWS_ACCESS_KEY_ID'
const secretKey = 'AWS_SECRET_ACCESS_KEY'
const sessionToken = 'AWS_SESSION_TOKEN'

/** Reads the variables of AWS, which count where no option of ours does. Secrets leave the environment as they are read. */
export function awsValues(environment: Environment): readonly (readonly [OptionKey, GivenValue])[] {
  const regionName = ['AWS_REGION', 'AWS_DEFAULT_REGION'].find((name) => environment[name])
  const region = regionName && environment[regionName]
  const secret = takeAwsCredentials(environment)
  return [
    ...(regionName && region
      ? [['objects.region', { called: regionName, value: region, written: region }] as const]
      : []),
    ...(secret
      ? [['objects.credentials', { called: keyId, value: secretOf(secret), written: '' }] as const]
      : []),
  ]
}

/** They say where a machine or a platform has credentials, to every program for S3. */
const sources = [
  ...['HOME', 'AWS_PROFILE', 'AWS_SHARED_CREDENTIALS_FILE', 'AWS_CONFIG_FILE'],
  ...['AWS_ROLE_ARN', 'AWS_ROLE_SESSION_NAME', 'AWS_WEB_IDENTITY_TOKEN_FILE'],
  ...['AWS_ENDPOINT_URL_STS', 'AWS_EC2_METADATA_DISABLED', 'AWS_EC2_METADATA_SERVICE_ENDPOINT'],
  ...['AWS_CONTAINER_CREDENTIALS_RELATIVE_URI', 'AWS_CONTAINER_CREDENTIALS_FULL_URI'],
  'AWS_CONTAINER_AUTHORIZATION_TOKEN_FILE',
] as const

const containerToken = 'AWS_CONTAINER_AUTHORIZATION_TOKEN'

/** Where the machine has credentials of a bucket; nothing if no bucket is named. */
export interface AwsSources {
  readonly awsVariables: Readonly<Record<string, string>>
  /** A secret, for the service of a container. */
  readonly containerToken?: string
}

/** The secret leaves the environment. */
export function awsSources(environment: Environment): AwsSources {
  const found = sources.flatMap((name) => {
    const value = environment[name]
    return value ? [[name, value] as const] : []
  })
  const token = environment[containerToken]
  delete environment[containerToken]
  return { awsVariables: Object.fromEntries(found), ...(token && { containerToken: token }) }
}

function takeAwsCredentials(environment: Environment): S3Credentials | undefined {
  const parts = {
    accessKeyId: environment[keyId] || undefined,
    secretAccessKey: environment[secretKey] || undefined,
    sessionToken: environment[sessionToken] || undefined,
  }
  for (const name of [keyId, secretKey, sessionToken]) delete environment[name]
  if (Object.values(parts).every((part) => part === undefined)) return undefined
  const credentials = madeCredentials(parts)
  if (credentials !== undefined) return credentials
  throw wrongUsage(
    `${keyId}: credentials need ${keyId} and ${secretKey}, both without blanks, and ${sessionToken} if they are temporary; set them, or none of them`,
  )
}
