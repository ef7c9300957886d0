/** Opens the client of one bucket. */

import { Agent, type AgentOptions } from 'node:http'
import { type ClientClock, systemClock } from '@latchkey/client/parts'
import { unixSeconds } from '@latchkey/protocol'
import { ask } from '@latchkey/service/http/ask'
import { readIntoOneBuffer } from '@latchkey/service/http/one-buffer'
import { type S3Credentials, type S3Place, StoreUnavailable } from '../object-store.ts'
import { type Bucket, listObjects, listVersions, readDocument } from './list-objects.ts'
import { openMachineCredentials } from './machine-credentials.ts'
import { readObject } from './read-object.ts'
import { removeObjects } from './remove-objects.ts'
import {
  addressOf,
  type CredentialSource,
  maxWaitMs,
  requestsTo,
  type S3Answer,
} from './requests.ts'
import type { ObjectHead, S3Body, S3Client, StoredVersion } from './s3-client.ts'
import { rangeSigner } from './sign-ranges.ts'
import { signedQuery } from './sign-request.ts'
import { failureOfConnection, noBucketText, unavailable } from './store-errors.ts'

export interface S3ClientOptions {
  /** For tests. */
  readonly clock?: ClientClock
  /** From 0 to 1: spreads the attempts of many clients. */
  readonly random?: () => number
  /**
   * How long a request is repeated after its first failure.
   * @default 10
   */
  readonly retrySeconds?: number
  /** Told of each request that has failed, after all of its attempts. */
  readonly onUnavailable?: (failure: StoreUnavailable) => void
}

const maxSmallBytes = 1024 * 1024

export function openS3Client(
  place: S3Place,
  {
    clock = systemClock,
    random = Math.random,
    retrySeconds = 10,
    onUnavailable = () => {},
  }: S3ClientOptions = {},
): S3Client {
  const closing = new AbortController()
  const agent = readIntoOneBuffer(agentFor(place))
  const ownCredentials = credentialsOf(place, clock)
  const deps = {
    credentials: ownCredentials,
    agent,
    clock,
    random,
    retrySeconds,
    closing: closing.signal,
    onUnavailable,
  }
  const send = requestsTo(place, deps)
  const bucket: Bucket = { place, send }
  const encryption = encryptionOf(place)

  const head = async (key: string): Promise<ObjectHead | undefined> => {
    const purpose = 'look at an object'
    const request = { purpose, method: 'HEAD', accepts: [404], maxBytes: 0 } as const
    const answer = await send({ ...request, key })
    if (answer.status === 404) {
      // The answer to HEAD has no code: without their bucket, all objects would look lost.
      const { status } = await send(request)
      if (status !== 404) return undefined
      throw unavailable({ place, purpose }, noBucketText, { isLasting: true })
    }
    const bytes = Number(answer.header('content-length'))
    const changedMs = Date.parse(answer.header('last-modified') ?? '')
    if (!Number.isSafeInteger(bytes) || Number.isNaN(changedMs)) {
      throw unavailable({ place, purpose }, 'it does not tell its length and its time')
    }
    return { ...versionOf(answer), bytes, changedAt: unixSeconds(Math.floor(changedMs / 1000)) }
  }

  const readSmall = async (key: string) => {
    const [purpose, maxBytes] = ['read an object', maxSmallBytes]
    const answer = await send({ purpose, method: 'GET', key, accepts: [404], maxBytes })
    return answer.status === 404 ? undefined : { ...versionOf(answer), bytes: answer.bytes }
  }

  /** The version that an earlier attempt has stored, whose answer was lost. */
  const ownVersion = async (key: string, body: S3Body): Promise<StoredVersion | undefined> => {
    if (body instanceof Uint8Array && body.length <= maxSmallBytes) {
      const stored = await readSmall(key)
      return stored?.bytes.equals(body) ? stored : undefined
    }
    const stored = await head(key)
    const length = body instanceof Uint8Array ? body.length : body.bytes
    return stored?.bytes === length ? stored : undefined
  }

  const signerWith = async (credentials: S3Credentials | undefined) => ({
    ...{ region: place.region, atMs: clock.wallMs() },
    credentials: credentials ?? (await ownCredentials.current()),
  })

  return {
    async put(key, body, condition = {}) {
      const { ifNoneMatch, ifMatch } = condition
      const answer = await send({
        ...{ purpose: 'write an object', method: 'PUT', key, body, maxBytes: maxSmallBytes },
        accepts: ifMatch === undefined ? [412] : [404, 412],
        headers: {
          ...encryption,
          ...(ifNoneMatch !== undefined && { 'if-none-match': ifNoneMatch }),
          ...(ifMatch !== undefined && { 'if-match': ifMatch }),
        },
      })
      if (answer.status < 300) return versionOf(answer)
      return (answer.isRepeated && (await ownVersion(key, body))) || 'exists'
    },
    get: (key, range) => readObject(bucket, key, range),
    readSmall,
    head,
    async remove(key, versionId) {
      await send({
        ...{ purpose: 'remove an object', method: 'DELETE', key, accepts: [404] },
        maxBytes: maxSmallBytes,
        query: versionId === undefined ? [] : [['versionId', versionId]],
      })
    },
    removeMany: (objects) => removeObjects(bucket, objects),
    list: (prefix, { after } = {}) => listObjects(bucket, prefix, after),
    listVersions: (prefix) => listVersions(bucket, prefix),
    async versioning() {
      const purpose = 'ask for versions'
      const document = await readDocument(bucket, {
        ...{ purpose, method: 'GET', query: [['versioning', '']] },
      })
      const status = document.children.find(({ name }) => name === 'Status')?.text
      if (status === 'Enabled') return 'on'
      return status === 'Suspended' ? 'suspended' : 'off'
    },
    async signedPut(key, { bytes, seconds, endpoint = place.endpoint, credentials }) {
      const { origin, host, path } = addressOf({ ...place, endpoint }, key)
      const headers = { 'content-length': String(bytes), 'if-none-match': '*', ...encryption }
      const request = { method: 'PUT', path, query: [], headers: { ...headers, host } } as const
      const query = signedQuery(request, await signerWith(credentials), seconds)
      return { method: 'PUT', headers, url: `${origin}${path}?${query}` }
    },
    async signedRanges({ seconds, endpoint = place.endpoint, credentials }) {
      const address = (key: string) => addressOf({ ...place, endpoint }, key)
      return rangeSigner(address, await signerWith(credentials), seconds)
    },
    async tryRange(url, { start, end }) {
      const headers = { range: `bytes=${start}-${end}` }
      const question = { headers, agent, maxWaitMs, signal: closing.signal }
      const answer = await ask(url, question).catch((error: unknown) => {
        const context = { place, purpose: 'fetch a range', nowMs: clock.wallMs() }
        throw failureOfConnection(error, context).error
      })
      answer.discard()
      return answer.status
    },
    async close() {
      closing.abort(new StoreUnavailable('the client of the store is closed'))
      agent.destroy()
    },
  }
}

function versionOf(answer: S3Answer): StoredVersion {
  const versionId = answer.header('x-amz-version-id')
  return {
    etag: answer.header('etag') ?? '',
    versionId: versionId === 'null' ? undefined : versionId,
  }
}

function encryptionOf({ encryption }: S3Place): Readonly<Record<string, string>> {
  if (encryption === undefined) return {}
  const { algorithm, kmsKeyId } = encryption
  return {
    'x-amz-server-side-encryption': algorithm,
    ...(kmsKeyId !== undefined && { 'x-amz-server-side-encryption-aws-kms-key-id': kmsKeyId }),
  }
}

/** A thread does not have the certificates that its process was told to trust. TLS is loaded for https alone. */
function agentFor({ endpoint, caCertificates = [] }: S3Place): Agent {
  const options: AgentOptions = { keepAlive: true }
  if (!endpoint.startsWith('https:')) return new Agent(options)
  const { Agent: TlsAgent } = process.getBuiltinModule('node:https')
  const { getCACertificates } = process.getBuiltinModule('node:tls')
  const ca = [...getCACertificates('default'), ...caCertificates]
  return new TlsAgent(caCertificates.length === 0 ? options : { ...options, ca })
}

function credentialsOf(place: S3Place, clock: ClientClock): CredentialSource {
  const { credentials } = place
  if (credentials === undefined) return openMachineCredentials(place, clock)
  return { current: async () => credentials, replace: async () => false }
}
