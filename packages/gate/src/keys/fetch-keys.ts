import { isPlainHttp, isServiceUrl } from '@latchkey/protocol'
import { askTwice, tlsReason } from '@latchkey/service/http/ask'
import { CannotStart } from '@latchkey/service/machine/errors'
import { type KeySet, readKeySet } from '@latchkey/token'

const keysOfTokens: PublicDocument = {
  path: '/.well-known/jwks.json',
  type: 'application/json',
  name: 'its keys',
  maxKiB: 64,
}

export function fetchKeys(hubUrl: string, patienceMs = 5000): Promise<KeySet> {
  return fetchKeySet(hubUrl, keysOfTokens, AbortSignal.timeout(patienceMs))
}

/** Fails when the hub does not answer with at least one key of ours. */
export async function fetchKeySet(
  hubUrl: string,
  publicDocument: PublicDocument,
  signal: AbortSignal,
): Promise<KeySet> {
  const document = await fetchDocument(hubUrl, publicDocument, signal)
  const keys = await readKeySet(
    JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(document)),
  )
  if (keys.size === 0) throw new Error('the hub published no key that the gate can use')
  return keys
}

interface PublicDocument {
  /** Below the hub's URL. */
  readonly path: string
  readonly type: string
  /** As a sentence names it: `its keys`. */
  readonly name: string
  readonly maxKiB: number
}

/** Fails unless the hub answers with 200 and all of the document. */
export async function fetchDocument(
  hubUrl: string,
  { path, type, name, maxKiB }: PublicDocument,
  signal: AbortSignal,
): Promise<Buffer> {
  const answer = await askTwice(hubUrl + path, {
    // An old answer of a cache on the way would be worth nothing.
    headers: { accept: type, 'cache-control': 'no-cache' },
    signal,
  })
  const { status } = answer
  if (status !== 200) {
    answer.discard()
    const hint = status === 421 ? '; add this name with --allowed-hosts' : ''
    throw new Error(`the hub answered with status ${status} instead of ${name}${hint}`)
  }
  const document = await answer.read(maxKiB * 1024)
  if (document === undefined) throw new Error(`the hub sent more than ${maxKiB} KiB as ${name}`)
  return document
}

export function refuseUrl(name: string, url: string, isAllowed: (url: string) => boolean): void {
  if (typeof url !== 'string') throw new CannotStart(`${name} is missing: give ${whatItIs[name]}`)
  if (isAllowed(url)) return
  throw new CannotStart(
    `${name}: ${JSON.stringify(url)} is not allowed; give an http or https URL in its normal form, without trailing slash, query, fragment or credentials`,
  )
}

/** Over plain http others on the way could replace the keys, and read a credential. */
export function refuseHubUrl(hubUrl: string, allowPlainHttp: boolean): void {
  refuseUrl('hubUrl', hubUrl, isServiceUrl)
  if (!isPlainHttp(hubUrl) || allowPlainHttp) return
  throw new CannotStart(
    `hubUrl: ${hubUrl} is plain http, so others on the way could replace the keys; use https or a loopback address, or say allowPlainHttp`,
  )
}

const whatItIs: Readonly<Record<string, string>> = {
  hubUrl: 'the URL of the hub, or its keys and issuer',
  issuer: 'the publicUrl of the hub',
  casUrl: 'the same as the hub has',
  audience: 'the URL of the storage, or casUrl as the hub has it',
}

/** Why a question failed is in the cause of its error. The question has no secret, so neither has the message. */
export function keyFailure(error: unknown): { readonly reason: string } {
  const { message, cause } = error instanceof Error ? error : new Error(String(error))
  if (!(cause instanceof Error)) return { reason: message }
  const advice = 'code' in cause ? tlsReason(cause.code) : undefined
  const more = advice === undefined ? '' : ` (${advice})`
  return { reason: `${message}: ${cause.message}${more}` }
}
