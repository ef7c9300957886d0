/** Finds the credentials that the machine or the platform has: shared files, a web identity, a container's or an instance's role. */

import { readFile } from 'node:fs/promises'
import { homedir } from 'node:os'
import { join } from 'node:path'
import type { ClientClock } from '@latchkey/client/parts'
import { ask, type HttpAnswer, type HttpQuestion, reasonOf } from '@latchkey/service/http/ask'
import { quoteGiven } from '@latchkey/service/text'
import { type S3Credentials, type S3Place, StoreUnavailable } from '../object-store.ts'
import { childrenOf, readXml, textIn } from './read-xml.ts'
import type { CredentialSource } from './requests.ts'

interface TimedCredentials {
  readonly credentials: S3Credentials
  readonly untilMs: number
}

/** The variables that say where credentials are, by the names that every program for S3 uses. */
type Variables = NonNullable<S3Place['awsVariables']>

/** So long before their end others are got. */
const earlyMs = 300_000

export function openMachineCredentials(
  { awsVariables = {}, containerToken, region }: S3Place,
  clock: ClientClock,
): CredentialSource {
  let held: TimedCredentials | undefined
  let finding: Promise<TimedCredentials> | undefined
  const find = () => {
    finding ??= findCredentials(
      { variables: awsVariables, containerToken, region },
      clock.wallMs(),
    ).finally(() => {
      finding = undefined
    })
    return finding
  }
  return {
    async current() {
      const nowMs = clock.wallMs()
      if (held !== undefined && nowMs < held.untilMs - earlyMs) return held.credentials
      try {
        held = await find()
      } catch (error) {
        if (held === undefined || nowMs >= held.untilMs) throw error
      }
      return held.credentials
    },
    async replace(expired) {
      if (held !== undefined && !isSame(held.credentials, expired)) return true
      held = await find()
      return !isSame(held.credentials, expired)
    },
  }
}

function isSame(one: S3Credentials, other: S3Credentials): boolean {
  return (
    one.accessKeyId === other.accessKeyId &&
    one.secretAccessKey === other.secretAccessKey &&
    one.sessionToken === other.sessionToken
  )
}

interface Machine {
  readonly variables: Variables
  readonly containerToken: string | undefined
  readonly region: string
}

async function findCredentials(
  { variables, containerToken, region }: Machine,
  nowMs: number,
): Promise<TimedCredentials> {
  const inFiles = await readFiles(variables)
  // A file may be replaced at any time.
  if (inFiles !== undefined) return { credentials: inFiles, untilMs: nowMs + earlyMs + 60_000 }
  if (variables['AWS_WEB_IDENTITY_TOKEN_FILE'] !== undefined) {
    return assumeRole(variables, region)
  }
  const { AWS_CONTAINER_CREDENTIALS_RELATIVE_URI: path, AWS_CONTAINER_CREDENTIALS_FULL_URI: url } =
    variables
  const service = path === undefined ? url : new URL(path, 'http://169.254.170.2').href
  if (service !== undefined) return askContainer(service, variables, containerToken)
  if (variables['AWS_EC2_METADATA_DISABLED'] === 'true') {
    throw missing('no credentials were given, and no shared file has any')
  }
  return askInstance(variables)
}

async function readFiles(variables: Variables): Promise<S3Credentials | undefined> {
  const folder = join(variables['HOME'] ?? homedir(), '.aws')
  const profile = variables['AWS_PROFILE'] ?? 'default'
  const values = {
    ...(await profileIn(variables['AWS_CONFIG_FILE'] ?? join(folder, 'config'), [
      `profile ${profile}`,
      ...(profile === 'default' ? [profile] : []),
    ])),
    ...(await profileIn(variables['AWS_SHARED_CREDENTIALS_FILE'] ?? join(folder, 'credentials'), [
      profile,
    ])),
  }
  const {
    aws_access_key_id: accessKeyId,
    aws_secret_access_key: secretAccessKey,
    aws_session_token: sessionToken,
  } = values
  if (accessKeyId !== undefined && secretAccessKey !== undefined) {
    return { accessKeyId, secretAccessKey, sessionToken }
  }
  const isNamed =
    variables['AWS_PROFILE'] !== undefined || variables['AWS_SHARED_CREDENTIALS_FILE'] !== undefined
  if (!isNamed) return undefined
  throw missing(
    `the profile ${quoteGiven(profile)} of the shared files has no aws_access_key_id and aws_secret_access_key`,
  )
}

/** The values of a section; nothing if there is no such file. */
async function profileIn(
  file: string,
  sections: readonly string[],
): Promise<Readonly<Record<string, string>>> {
  const text = await readFile(file, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT' || error.code === 'ENOTDIR') return ''
    throw missing(`the shared file ${quoteGiven(file)} cannot be read (${error.code})`)
  })
  const values: Record<string, string> = {}
  let isInside = false
  for (const line of text.split(/\r?\n/)) {
    const section = /^\s*\[\s*([^\]]*?)\s*\]/.exec(line)?.[1]
    if (section !== undefined) isInside = sections.includes(section.replace(/\s+/g, ' '))
    const [, name, value] = /^\s*(aws_\w+)\s*=\s*(\S*)\s*$/.exec(line) ?? []
    if (isInside && name !== undefined && value !== undefined) values[name] = value
  }
  return values
}

async function assumeRole(variables: Variables, region: string): Promise<TimedCredentials> {
  const {
    AWS_WEB_IDENTITY_TOKEN_FILE: file = '',
    AWS_ROLE_ARN: role,
    AWS_ROLE_SESSION_NAME: session = 'latchkey',
    AWS_ENDPOINT_URL_STS: endpoint = `https://sts.${region}.amazonaws.com`,
  } = variables
  if (role === undefined)
    throw missing('AWS_WEB_IDENTITY_TOKEN_FILE is set and AWS_ROLE_ARN is not')
  const token = await readFile(file, 'utf8').catch((error: NodeJS.ErrnoException) => {
    throw missing(`the web identity ${quoteGiven(file)} cannot be read (${error.code})`)
  })
  const form = new URLSearchParams({
    ...{ Action: 'AssumeRoleWithWebIdentity', Version: '2011-06-15', RoleArn: role },
    ...{ RoleSessionName: session, WebIdentityToken: token.trim() },
  })
  const text = await askFor(endpoint, 'the service for web identities', {
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
    body: form.toString(),
  })
  try {
    const [result] = childrenOf(readXml(text), 'AssumeRoleWithWebIdentityResult')
    const [values] = result === undefined ? [] : childrenOf(result, 'Credentials')
    if (values === undefined) throw new TypeError('no credentials')
    return timed({
      accessKeyId: textIn(values, 'AccessKeyId'),
      secretAccessKey: textIn(values, 'SecretAccessKey'),
      sessionToken: textIn(values, 'SessionToken'),
      expiration: textIn(values, 'Expiration'),
    })
  } catch {
    throw unreadable('the service for web identities')
  }
}

async function askContainer(
  url: string,
  variables: Variables,
  containerToken: string | undefined,
): Promise<TimedCredentials> {
  const what = 'the service for credentials of containers'
  const isNear =
    /^http:\/\/(127\.|169\.254\.170\.2(?:3)?[:/]|localhost[:/]|\[::1\]|\[fd00:ec2::23\])/
  if (!url.startsWith('https:') && !isNear.test(url)) {
    throw missing(`AWS_CONTAINER_CREDENTIALS_FULL_URI must be https, or an address of this machine`)
  }
  const file = variables['AWS_CONTAINER_AUTHORIZATION_TOKEN_FILE']
  const token =
    file === undefined
      ? containerToken
      : await readFile(file, 'utf8').catch((error: NodeJS.ErrnoException) => {
          throw missing(
            `the token of the container ${quoteGiven(file)} cannot be read (${error.code})`,
          )
        })
  const headers = token === undefined ? {} : { authorization: token.trim() }
  return documentOf(await askFor(url, what, { headers }), what)
}

const roles = '/latest/meta-data/iam/security-credentials/'

/** By a token, which a request that was only forwarded cannot get. */
async function askInstance(variables: Variables): Promise<TimedCredentials> {
  const what = 'the metadata service of the machine'
  const endpoint = variables['AWS_EC2_METADATA_SERVICE_ENDPOINT'] ?? 'http://169.254.169.254'
  const to = (path: string) => new URL(path, endpoint).href
  const token = await askFor(to('/latest/api/token'), what, {
    ...{ method: 'PUT', headers: { 'x-aws-ec2-metadata-token-ttl-seconds': '21600' } },
  })
  const headers = { 'x-aws-ec2-metadata-token': token.trim() }
  const role = (await askFor(to(roles), what, { headers })).trim().split('\n', 1)[0] ?? ''
  if (!/^[\w+=,.@-]{1,128}$/.test(role)) throw unreadable(what)
  return documentOf(await askFor(to(`${roles}${role}`), what, { headers }), what)
}

function documentOf(text: string, what: string): TimedCredentials {
  try {
    const { AccessKeyId, SecretAccessKey, Token, Expiration } = JSON.parse(text)
    return timed({
      ...{ accessKeyId: AccessKeyId, secretAccessKey: SecretAccessKey },
      ...{ sessionToken: Token, expiration: Expiration },
    })
  } catch {
    throw unreadable(what)
  }
}

function timed({ expiration, ...texts }: Record<string, unknown>): TimedCredentials {
  const { accessKeyId, secretAccessKey, sessionToken } = texts
  const untilMs = Date.parse(String(expiration))
  const isWhole =
    isHeaderText(accessKeyId) && isHeaderText(secretAccessKey) && isHeaderText(sessionToken)
  if (!isWhole || Number.isNaN(untilMs)) throw new TypeError('not credentials with an end')
  return { credentials: { accessKeyId, secretAccessKey, sessionToken }, untilMs }
}

function isHeaderText(value: unknown): value is string {
  return typeof value === 'string' && /^[\x21-\x7e]{1,16384}$/.test(value)
}

/** These services are on the machine or near it: without an answer in this time there is none. */
const patienceMs = 5_000
const maxBytes = 64 * 1024

async function askFor(url: string, what: string, question: HttpQuestion): Promise<string> {
  const answer = await askOnce(url, what, question)
  const bytes = await answer.read(maxBytes).catch(() => undefined)
  if (answer.isOk && bytes !== undefined) return bytes.toString()
  throw new StoreUnavailable(
    `no credentials for the store: ${what} gave HTTP ${answer.status}; give credentials, or a role that it may have`,
    { isLasting: answer.status >= 400 && answer.status < 500 && answer.status !== 429 },
  )
}

async function askOnce(url: string, what: string, question: HttpQuestion): Promise<HttpAnswer> {
  try {
    return await ask(url, { ...question, signal: AbortSignal.timeout(patienceMs) })
  } catch (error) {
    throw new StoreUnavailable(
      `no credentials for the store: none were given, no shared file has any, and ${what} cannot be reached (${reasonOf(error, 'it took too long')})`,
    )
  }
}

function missing(reason: string): StoreUnavailable {
  return new StoreUnavailable(`no credentials for the store: ${reason}`, { isLasting: true })
}

function unreadable(what: string): StoreUnavailable {
  return new StoreUnavailable(`no credentials for the store: the answer of ${what} has none`)
}
