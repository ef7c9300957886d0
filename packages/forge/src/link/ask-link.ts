/** Sends the questions of a forge to its hub: one HTTP request for each, over connections that are kept. */

import { setTimeout as sleep } from 'node:timers/promises'
import { forgeHeader, type LinkAnswer, type LinkOutcome } from '@latchkey/admin-api/forge-codec'
import { isPlainHttp, type Secret } from '@latchkey/protocol'
import { tlsReason } from '@latchkey/service/http/ask'
import { askPool, type PoolAnswer } from '@latchkey/service/http/ask-pool'
import { CannotStart } from '@latchkey/service/machine/errors'
import { newId, pooledRandom, type RandomBytes } from '@latchkey/service/machine/random'
import { HubUnavailable } from './hub-unavailable.ts'

export interface LinkPlace {
  readonly hubUrl: string
  /** The embedded credential of the forge, or a hub token of the kind `forge`. */
  readonly credential: Secret<'hub-token'>
  /** Without https, also to another machine than this one. */
  readonly allowPlainHttp: boolean
  /** The id of the data directory, as `forgeIdIn` gives it. */
  readonly forgeId: string
  readonly randomBytes?: RandomBytes
}

export interface AskLink {
  /** For a question that changes nothing, or may be asked twice: a lost response is asked for again. */
  question(name: string, body: object): Promise<LinkAnswer>
  /** Done once, or not at all where it throws with `mayHaveTakenEffect` false. */
  change(name: string, body: object): Promise<LinkAnswer>
  close(): Promise<void>
}

/** Between tries, while the connection to the hub breaks: it may start anew. */
const pausesMs = [50, 400, 1200]
const maxWaitMs = 60_000
/** Refs of a repository, or dependents of one. */
const maxAnswerBytes = 64 * 1024 * 1024
const maxConnections = 512

/** The first question claims the directory. Throws `CannotStart` where the hub has another forge. */
export function askLink(place: LinkPlace): AskLink {
  const { hubUrl, credential, allowPlainHttp, forgeId, randomBytes = pooledRandom() } = place
  if (isPlainHttp(hubUrl) && !allowPlainHttp) {
    throw new CannotStart(
      `the hub is named by plain http (${hubUrl}), and the credentials of callers go there. Name it by https, or allow plain http.`,
    )
  }
  const headers = {
    authorization: `Bearer ${credential.reveal()}`,
    'content-type': 'application/json',
    [forgeHeader]: `${forgeId} ${newId(randomBytes)}`,
  }
  const limits = { connections: maxConnections, maxWaitMs, maxBytes: maxAnswerBytes }
  const pool = askPool({ url: hubUrl, headers, ...limits })
  const send = async (name: string, body: string): Promise<LinkAnswer> => {
    const answer = await pool.post(`/link/v1/forge/${name}`, body).catch((error) => {
      throw new LostAnswer(whyLost(error))
    })
    if (answer.status === 200) return JSON.parse(answer.text)
    throw problemIn(answer)
  }
  const sendAgain = async (name: string, body: string): Promise<LinkAnswer> => {
    for (const pauseMs of pausesMs) {
      try {
        return await send(name, body)
      } catch (error) {
        if (!(error instanceof LostAnswer)) throw error
        await sleep(pauseMs)
      }
    }
    return send(name, body)
  }
  let claim: Promise<void> | undefined
  const claimed = async () => {
    claim ??= sendAgain('claim', noInput).then(checkClaim)
    try {
      await claim
    } catch (error) {
      claim = undefined
      throw error
    }
  }
  let isClaimed = false
  const afterClaim = async () => {
    if (isClaimed) return
    await toUnavailable(claimed(), false)
    isClaimed = true
  }
  const outcomeOf = async (operation: string): Promise<LinkOutcome> => {
    const { result, refusal } = await sendAgain(
      'outcomeOf',
      JSON.stringify({ input: { operation } }),
    )
    if (refusal !== undefined) throw refusedBy(refusal.detail, true)
    return result as LinkOutcome
  }
  return {
    async question(name, body) {
      await afterClaim()
      return toUnavailable(sendAgain(name, JSON.stringify(body)), false)
    },
    async change(name, body) {
      await afterClaim()
      for (let tries = 1; ; tries += 1) {
        const operation = newId(randomBytes)
        try {
          return await send(name, JSON.stringify({ ...body, operation }))
        } catch (error) {
          if (!(error instanceof LostAnswer)) throw error
          const outcome = await toUnavailable(outcomeOf(operation), true)
          if (outcome.isDone) return { result: outcome.result }
          if (tries === 2) throw refusedBy(error.message, false)
        }
      }
    },
    close: pool.close,
  }
}

const noInput = JSON.stringify({ input: {} })

/** Whether the question took effect is not known. */
class LostAnswer extends Error {}

async function toUnavailable<Result>(
  asking: Promise<Result>,
  mayHaveTakenEffect: boolean,
): Promise<Result> {
  try {
    return await asking
  } catch (error) {
    throw error instanceof LostAnswer ? refusedBy(error.message, mayHaveTakenEffect) : error
  }
}

function refusedBy(reason: string, mayHaveTakenEffect: boolean) {
  return new HubUnavailable(reason, { mayHaveTakenEffect })
}

/** The hub refuses the forge, whoever its caller is. */
function problemIn({ status, headers, text }: PoolAnswer): Error {
  const reason = detailIn(text)
  if (status >= 500) return new LostAnswer(`${status} ${reason}`)
  const seconds = Number(headers['retry-after'])
  const retryAfterSeconds = seconds > 0 ? seconds : undefined
  return new HubUnavailable(reason, { mayHaveTakenEffect: false, retryAfterSeconds, status })
}

function detailIn(text: string): string {
  try {
    const { detail } = JSON.parse(text)
    return typeof detail === 'string' ? detail : noReason
  } catch {
    return noReason
  }
}

const noReason = 'It gives no reason.'

function checkClaim({ refusal }: LinkAnswer): void {
  if (refusal !== undefined) throw new CannotStart(refusal.detail)
}

/** The failure of a connection has the code of the system. */
function whyLost(error: unknown): string {
  const { code, message = 'it failed' } = Object(error)
  return tlsReason(code) ?? String(code ?? message)
}
