import {
  isCasUrl,
  isServiceUrl,
  type OptionTypes,
  refuseOptions,
  storageAddress,
} from '@latchkey/protocol'
import { finalNumber, forEver, type KeySet, maxHeadSeconds, readKeySet } from '@latchkey/token'
import { generateSigningKey, jwksOf, type SigningKey } from '@latchkey/token/signing'
import type { GateOptions } from '../check/options.ts'
import { refuseUrl } from '../keys/fetch-keys.ts'
import { hubPlaces } from './hub-places.ts'
import { type RevokeRequest, revocationOf } from './hub-revocations.ts'
import { type HubClock, type HubTime, hubTime } from './hub-time.ts'
import { hubTokens, type TokenRequest } from './hub-tokens.ts'
import { memoryRevocations } from './memory-revocations.ts'
import { type PublishedRevocations, publishedRevocations } from './published-revocations.ts'
import { type ServedHub, serveHub } from './serve-hub.ts'
import { storageLink } from './storage-link.ts'

export interface FakeHubOptions {
  /** The storage's URL as its gate has it, with `{repo}` and `{ref}`. */
  readonly casUrl: string
  /**
   * The hub's URL, which all tokens name.
   * @default 'https://hub.example'
   */
  readonly issuer?: string
  /**
   * Unix seconds. Time then stands still until the test advances the clock. By default the hub
   * follows the system's time.
   *
   * @default the system's time
   */
  readonly now?: number
  /**
   * How long gates may use a revocation list after the hub has served it, in seconds.
   * @default 60
   */
  readonly listSeconds?: number
}

const types: OptionTypes<FakeHubOptions> = {
  ...{ casUrl: 'any', issuer: 'string', now: 'number', listSeconds: 'number' },
}

/** A hub for tests of a storage: it makes any token, and a gate with its options believes it. */
export interface FakeHub {
  /** The issuer of its tokens. */
  readonly url: string
  /** Options for `createGate`. The gate needs no network, and learns of revocations immediately. */
  readonly gateOptions: Extract<GateOptions, { readonly keys: unknown; readonly casUrl: string }>
  /** The time of the hub and of gates with its options. */
  readonly clock: HubClock
  /**
   * Makes a storage token. Repositories and refs come into being when a token first names them.
   * @example
   * const token = hub.token({ scope: 'write', repository: 'models/acme/bert', ref: 'main' })
   */
  token(request?: TokenRequest): string
  /** The storage's URL for a repository and ref. */
  casUrl(repository: string, ref: string): string
  /** The path of that URL: requests of the test begin with it. */
  path(repository: string, ref: string): string
  /**
   * Revokes tokens that were made before. Gates with `gateOptions` refuse them immediately.
   * @example
   * hub.revoke({ account: 'ada' })
   */
  revoke(request: RevokeRequest): void
  /** Deletes a repository, and revokes its tokens. The same name is another repository afterwards. */
  deleteRepository(repository: string): void
  /** Deletes a ref, and revokes its tokens. The same name is another ref afterwards. */
  deleteRef(repository: string, ref: string): void
  /** Signs with a new key. The old key stays good, unless it is compromised. */
  rotateKey(options?: { readonly compromised?: boolean }): Promise<void>
  /**
   * The hub stops answering: gates do not learn of revocations, and refuse requests with 503. A
   * gate elsewhere does so when its list is older than `listSeconds`.
   */
  withholdRevocations(): void
  /** The hub answers again. */
  restoreRevocations(): void
  /**
   * Serves the hub's documents on this machine, for gates in another process. It gives the URL for
   * their `hubUrl`. Their `issuer` is the hub's `url`. A storage of Latchkey can follow the hub, too,
   * with any credential.
   */
  listen(port?: number): Promise<string>
  /** Stops listening. */
  close(): Promise<void>
}

/**
 * Opens a hub in memory for the tests of a storage. Its keys are new for each call, so no other
 * gate believes its tokens.
 * @example
 * const hub = await fakeHub({ casUrl: 'https://cas.example/r/{repo}/{ref}' })
 * const gate = createGate(hub.gateOptions)
 */
export async function fakeHub(options: FakeHubOptions): Promise<FakeHub> {
  refuseOptions('fakeHub', options, types)
  const { casUrl, issuer = 'https://hub.example', now, listSeconds = maxHeadSeconds } = options
  refuseUrl('casUrl', casUrl, isCasUrl)
  refuseUrl('issuer', issuer, isServiceUrl)
  if (now !== undefined && !Number.isSafeInteger(now)) {
    throw new TypeError(`now of fakeHub must be whole Unix seconds, and is ${now}.`)
  }
  if (!Number.isSafeInteger(listSeconds) || listSeconds < 1 || listSeconds > maxHeadSeconds) {
    throw new TypeError(
      `listSeconds of fakeHub must be 1 to ${maxHeadSeconds}, and is ${listSeconds}.`,
    )
  }
  const time = hubTime(now)
  const { clock, milliseconds } = time
  const headKey = await generateSigningKey('ES256')
  const published = publishedRevocations({
    ...{ clock: clock.now, issuer, key: headKey, milliseconds, listSeconds },
  })
  const revocations = memoryRevocations(published)
  const link = storageLink(published.number)
  const places = hubPlaces(() => published.advance())
  const keys = await hubKeyPair()
  const { audience, urlFor } = storageAddress(casUrl)
  const token = await hubTokens({
    ...{ issuer, audience, places, key: keys.signing, now: clock.now, number: published.number },
    numberOfFork: () => numberOfFork(published, time),
  })
  const servers: ServedHub[] = []
  const casUrlOf = (repository: string, ref: string) => {
    const place = places.placeOf(repository, ref)
    return urlFor(place.repositoryUid, place.refUid)
  }
  const learn = () => void revocations.refresh()
  const hub: FakeHub = {
    url: issuer,
    gateOptions: { casUrl, issuer, keys: keys.source, revocations, clock: clock.now },
    clock,
    token,
    casUrl: casUrlOf,
    path: (repository, ref) => new URL(casUrlOf(repository, ref)).pathname,
    revoke(request) {
      const { target, isFinal } = revocationOf(request, places)
      published.cut(target, isFinal ? finalNumber(published.number()) : undefined)
      learn()
    },
    deleteRepository(repository) {
      hub.revoke({ repository })
      link.remove(places.repositoryUid(repository))
      places.deleteRepository(repository)
    },
    deleteRef(repository, ref) {
      hub.revoke({ repository, ref })
      link.remove(places.refUid(repository, ref))
      places.deleteRef(repository, ref)
    },
    async rotateKey({ compromised = false } = {}) {
      const { kid } = keys.signing()
      await keys.rotate(compromised)
      published.advance()
      if (compromised) published.cut({ kind: 'key', id: kid }, forEver)
      learn()
    },
    withholdRevocations() {
      revocations.withhold()
      learn()
    },
    restoreRevocations() {
      revocations.give()
      learn()
    },
    async listen(port = 0) {
      const server = await serveHub((request, response) => {
        if (revocations.isWithheld) return void response.writeHead(503).end()
        if (published.answer(request, response) || link.answer(request, response)) return
        const isKeys = request.url === '/.well-known/jwks.json'
        response.writeHead(isKeys ? 200 : 404, { 'Content-Type': 'application/json' })
        response.end(isKeys ? JSON.stringify(keys.jwks()) : '{}')
      }, port)
      servers.push(server)
      return server.url
    },
    async close() {
      await Promise.all(servers.splice(0).map((server) => server.close()))
    },
  }
  learn()
  return hub
}

/**
 * Storages stamp rows with the system's milliseconds. The number is above the stamp of every row
 * that is there already, and a row that is written later has this stamp or a higher one.
 */
function numberOfFork(published: PublishedRevocations, time: HubTime) {
  const aheadBy = time.milliseconds() + 1 - published.number()
  const number = published.advance(Math.max(1, aheadBy))
  while (time.isRunning && time.milliseconds() < number);
  return number
}

/** The keys of storage tokens: the newest signs, and all of them are published. */
async function hubKeyPair() {
  let signing = await generateSigningKey('ES256')
  let published: readonly SigningKey[] = [signing]
  let keySet: KeySet = await readKeySet(jwksOf(published))
  return {
    signing: () => signing,
    jwks: () => jwksOf(published),
    source: { known: () => keySet, refresh: async () => true },
    async rotate(isCompromised: boolean) {
      signing = await generateSigningKey('ES256')
      published = [signing, ...(isCompromised ? [] : published)]
      keySet = await readKeySet(jwksOf(published))
    },
  }
}
