/** Interprets the answers of a store that are no success, and connections that fail. */

import type { HttpAnswer } from '@latchkey/service/http/ask'
import { reasonOf, tlsReason } from '@latchkey/service/http/ask'
import { quoteGiven } from '@latchkey/service/text'
import { DiskFull, type S3Place, StoreUnavailable } from '../object-store.ts'
import { readXml, textIn } from './read-xml.ts'

/** An attempt that has not done what it should. */
export interface FailedAttempt {
  /** Throws it once no attempt follows. */
  readonly error: Error
  /** `later`: the next attempt may succeed. `credentials`: so it may with newer ones. */
  readonly again: 'never' | 'later' | 'credentials'
  /** How long the store wants to be left alone. */
  readonly afterSeconds: number
  /** 0: there was no answer. */
  readonly status: number
  readonly code: string
}

/** Documents of errors are short. */
const maxErrorBytes = 64 * 1024

const fullCodes = new Set([
  ...['QuotaExceeded', 'InsufficientStorage', 'InsufficientCapacity', 'StorageFull'],
  ...['XMinioStorageFull', 'XMinioAdminBucketQuotaExceeded', 'ServiceQuotaExceeded'],
])

const staleCodes = new Set(['ExpiredToken', 'ExpiredTokenException', 'TokenRefreshRequired'])

const laterCodes = new Set([
  ...['SlowDown', 'SlowDownRead', 'SlowDownWrite', 'Throttling', 'ThrottlingException'],
  ...['RequestTimeout', 'OperationAborted', 'ConditionalRequestConflict', 'InternalError'],
])

export interface AttemptContext {
  readonly place: S3Place
  /** For the message: `write an object`. */
  readonly purpose: string
  readonly nowMs: number
}

export async function failureOfAnswer(
  answer: HttpAnswer,
  context: AttemptContext,
): Promise<FailedAttempt> {
  const { code, serverTime, region } = await documentOf(answer)
  const { status } = answer
  const end = (error: Error, again: FailedAttempt['again'] = 'never') => ({
    ...{ error, again, afterSeconds: 0, status, code },
  })
  const lasting = (reason: string) => end(unavailable(context, reason, { isLasting: true }))
  const response = `HTTP ${status}${code === '' ? '' : ` ${code}`}`
  if (status === 507 || fullCodes.has(code)) {
    return end(
      new DiskFull(
        `${nameOf(context.place)} has no room left for objects (${response}); enlarge it or its quota, or delete content`,
      ),
    )
  }
  if (staleCodes.has(code)) {
    const reason = `its credentials have expired (${response}); give it new ones`
    return end(unavailable(context, reason, { isLasting: true }), 'credentials')
  }
  const isDenied = status === 401 || status === 403
  const skewSeconds = skewOf(serverTime || answer.header('date'), context.nowMs)
  // The answer to HEAD has no code.
  if (code === 'RequestTimeTooSkewed' || (isDenied && Math.abs(skewSeconds) > maxSkewSeconds)) {
    return lasting(skewText(skewSeconds))
  }
  if (status === 429 || status === 408 || (status >= 500 && status !== 501)) {
    return end(unavailable(context, `it is overloaded or broken (${response})`), 'later')
  }
  if (laterCodes.has(code)) return end(unavailable(context, `it gave ${response}`), 'later')
  if (code === 'NoSuchBucket') return lasting(noBucketText)
  if (status >= 300 && status < 400 && status !== 304)
    return lasting(elsewhereText(response, region))
  if (code === 'AuthorizationHeaderMalformed' && region !== '') {
    return lasting(elsewhereText(response, region))
  }
  if (isDenied) {
    return lasting(`it denies this (${response}); check its credentials and what they may do`)
  }
  return lasting(`it gave ${response}, which was not expected`)
}

export const noBucketText = 'there is no such bucket; create it, or name another'

/** A connection that failed, or broke before the head of the answer. */
export function failureOfConnection(error: unknown, context: AttemptContext): FailedAttempt {
  const cause = error instanceof Error ? error.cause : undefined
  const tls = cause instanceof Error && 'code' in cause ? tlsReason(cause.code) : undefined
  const reason = tls ?? `the connection failed (${reasonOf(error, 'it took too long')})`
  return {
    error: unavailable(context, reason, { isLasting: tls !== undefined }),
    ...{ again: tls === undefined ? 'later' : 'never', afterSeconds: 0, status: 0, code: '' },
  }
}

export function unavailable(
  { place, purpose }: Pick<AttemptContext, 'place' | 'purpose'>,
  reason: string,
  options: { readonly isLasting?: boolean } = {},
): StoreUnavailable {
  return new StoreUnavailable(`cannot ${purpose} in ${nameOf(place)}: ${reason}`, {
    ...options,
    reason,
  })
}

export function nameOf({ bucket, endpoint }: S3Place): string {
  return `the bucket ${bucket} at ${endpoint}`
}

/** A log can have it: one line of letters and digits. */
async function documentOf(answer: HttpAnswer) {
  const nothing = { code: '', serverTime: '', region: answer.header('x-amz-bucket-region') ?? '' }
  try {
    const bytes = await answer.read(maxErrorBytes)
    if (bytes === undefined || bytes.length === 0) return plain(nothing)
    const document = readXml(bytes.toString())
    const region = textIn(document, 'Region') || nothing.region
    return plain({
      code: textIn(document, 'Code'),
      serverTime: textIn(document, 'ServerTime'),
      region,
    })
  } catch {
    // A page of a proxy, or cut off: the status says enough.
    return plain(nothing)
  }
}

function plain({ code, serverTime, region }: Record<'code' | 'serverTime' | 'region', string>) {
  return {
    code: /^\w{1,64}$/.test(code) ? code : '',
    serverTime,
    region: /^[\w-]{1,64}$/.test(region) ? region : '',
  }
}

/** Stores accept signatures of a quarter of an hour before and after. */
const maxSkewSeconds = 900

/** By how much this machine is ahead; 0 if the store does not tell its time. */
function skewOf(theirTime: string | undefined, nowMs: number): number {
  return Math.round((nowMs - Date.parse(theirTime ?? '')) / 1000) || 0
}

function skewText(seconds: number): string {
  if (Math.abs(seconds) <= maxSkewSeconds)
    return 'the clocks of this machine and the store differ; set both by a time server'
  const direction = seconds < 0 ? 'behind' : 'ahead'
  return `the clocks differ: that of this machine is ${Math.abs(seconds)} s ${direction} of the store's; set both by a time server`
}

function elsewhereText(response: string, region: string): string {
  const where = region === '' ? '' : `, in the region ${quoteGiven(region)}`
  return `the bucket is elsewhere${where} (${response}), and redirects are not followed; correct the endpoint and the region`
}
