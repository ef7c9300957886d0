/** One question to the hub: bounded in time and bytes, with the credential in its own header and nowhere else. */

import type { Secret } from '@latchkey/protocol'
import { askTwice, type HttpAnswer } from '@latchkey/service/http/ask'
import { failedQuestion, type HubAnswer } from './failed-question.ts'

export interface HubQuestion {
  /** Path and query below the hub's URL. */
  readonly path: string
  /** Sent as JSON with POST; without it the question is a GET. */
  readonly body?: object
  readonly patienceMs: number
  readonly signal?: AbortSignal | undefined
}

export type AskHub = (question: HubQuestion) => Promise<HubAnswer>

/** A thousand uids are 30 KB. */
const maxResponseBytes = 256 * 1024

export function hubAsker(hubUrl: string, credential: Secret<'hub-token'>): AskHub {
  return async ({ path, body, patienceMs, signal }) => {
    const timeout = AbortSignal.timeout(patienceMs)
    try {
      const answer = await askTwice(hubUrl + path, {
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
        headers: {
          accept: 'application/json',
          authorization: `Bearer ${credential.reveal()}`,
          ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        },
        signal: signal === undefined ? timeout : AbortSignal.any([signal, timeout]),
      })
      return { path, status: answer.status, value: await readJson(answer) }
    } catch (error) {
      throw failedQuestion(error, { hubUrl, patienceMs, isGivenUp: signal?.aborted === true })
    }
  }
}

async function readJson(answer: HttpAnswer): Promise<unknown> {
  const bytes = await answer.read(maxResponseBytes)
  try {
    return bytes && JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes))
  } catch {
    return undefined
  }
}
