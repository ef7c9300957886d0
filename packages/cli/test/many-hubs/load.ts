/** Steady load: accounts that ask for tokens and use them, uploads, and an administrator who changes who may do what. */

import { setTimeout as delay } from 'node:timers/promises'
import { type Chance, rounds } from '@latchkey/testing/chance'
import { type Answer, ask } from './ask.ts'
import type { Door, Hub, Site } from './site.ts'
import { startUploads, type Uploads } from './uploads.ts'
import { type Step, tokenPath, type Waverer, type Waverers } from './waverers.ts'

/** A storage token, with what it says of itself. */
export interface Token {
  readonly accessToken: string
  readonly casUrl: string
  readonly asOf: number
  /** Unix seconds. */
  readonly iat: number
}

/** A token request. */
export interface Asked extends Answer {
  readonly account: string
  readonly hub: Hub
  readonly token?: Token
}

/** A request with a token, at a gate or at the storage. */
export interface Used extends Answer {
  readonly account: string
  readonly door: Door
  readonly token: Token
}

/** One request for a change. */
export interface Changed extends Answer {
  readonly hub: Hub
}

/** From the first request for it until an answer says that it is so. */
export interface Settled {
  readonly account: string
  readonly mayAsk: boolean
  readonly sentAt: number
  readonly settledAt: number
  /** The last one says that it is so. */
  readonly requests: readonly Changed[]
}

export interface Load extends Pick<Uploads, 'uploaded' | 'uploadsKept'> {
  readonly asked: readonly Asked[]
  readonly used: readonly Used[]
  readonly changed: readonly Changed[]
  readonly settled: readonly Settled[]
  /** No client changes anything meanwhile, and the hub has the facts about those `atStop` in its memory when it begins. */
  whileKnownAt(hub: Hub, work: () => void): Promise<void>
  /** For a hub that is stopped: others acknowledge that those `atStop` have no access, and then these ask it once more. */
  withdrawFrom(stopped: Hub): Promise<void>
  giveBack(): Promise<void>
  /** Everybody may ask again at the end. */
  stop(): Promise<void>
}

const most = { tokensKept: 12 }
/** Between two requests of a client to one place. */
const pauseMs = rounds(2000, 250)
/** And so many times what the answer took: a machine that is busy already is asked less. */
const pauseTimes = rounds(20, 0)
const noAnswer = { sentAt: 0, answeredAt: 0 }
/** Between two changes of one account. Access that is withdrawn for longer than the bound says more about it. */
const maxPauseMs = { withdrawn: rounds(6000, 4000), granted: rounds(2000, 1000) }
/** A hub is told of a change much sooner, unless its notifications were cut a moment ago. */
const heardWithinMs = 500

export function startLoad(site: Site, { wavering, atStop }: Waverers, chance: Chance): Load {
  const { hubs, doors, hubTokens } = site
  const asked: Asked[] = []
  const used: Used[] = []
  const changed: Changed[] = []
  const settled: Settled[] = []
  const tokenOf = (account: string) => hubTokens.find((one) => one.account === account)?.token ?? ''
  const uploads = startUploads(hubs, tokenOf('steady'))
  let isOver = false
  const { promise: over, resolve: end } = Promise.withResolvers<void>()
  const pick = <One>(all: readonly One[]): One => all[Math.floor(chance.next() * all.length)] as One
  const between = (from: number, to: number) => delay(from + chance.next() * (to - from))
  /** A client ends its pause when the load is over. */
  const pause = (from: number, to: number) => Promise.race([between(from, to), over])
  const pauseAfter = ({ sentAt, answeredAt }: Pick<Answer, 'sentAt' | 'answeredAt'> = noAnswer) => {
    const moreMs = Math.min((answeredAt - sentAt) * pauseTimes, 2 * pauseMs)
    return pause(0.4 * pauseMs + moreMs, 1.6 * pauseMs + moreMs)
  }

  const askToken = async (account: string, hubToken: string, hub: Hub): Promise<Asked> => {
    const answer = await ask(hub.url + tokenPath(account), { token: hubToken })
    const one = {
      ...answer,
      account,
      hub,
      ...(answer.status === 200 && { token: readToken(answer) }),
    }
    asked.push(one)
    return one
  }
  const keepAsking = async (waverer: Waverer, hub: Hub, kept: Token[]) => {
    while (!isOver) {
      const answer = await askToken(waverer.name, waverer.hubToken(), hub)
      const { token } = answer
      if (token !== undefined) kept.push(token)
      if (kept.length > most.tokensKept) kept.splice(Math.floor(chance.next() * kept.length), 1)
      await pauseAfter(answer)
    }
  }
  const keepUsing = async (account: string, door: Door, kept: readonly Token[]) => {
    while (!isOver) {
      const token = kept.length > 0 ? pick(kept) : undefined
      if (token === undefined) {
        await pauseAfter()
        continue
      }
      const url = door.url + new URL(token.casUrl).pathname + door.path
      const answer = await ask(url, { token: token.accessToken })
      used.push({ ...answer, account, door, token })
      await pauseAfter(answer)
    }
  }
  let quiet = Promise.resolve()
  const settling = new Set<Promise<void>>()
  const settle = async (waverer: Waverer, mayAsk: boolean, among = hubs) => {
    await quiet
    const one = askUntilSettled(waverer, mayAsk, among).finally(() => settling.delete(one))
    settling.add(one)
    await one
  }
  /** Asks one hub after the other until one of them says that it is done. */
  const askUntilSettled = async (waverer: Waverer, mayAsk: boolean, among: readonly Hub[]) => {
    const sentAt = Date.now()
    const requests: Changed[] = []
    for (;;) {
      const step = mayAsk ? waverer.grant() : waverer.withdraw()
      const hub = pick(among)
      const answer = await sendStep(hub, step, tokenOf('root'))
      requests.push({ ...answer, hub })
      changed.push({ ...answer, hub })
      const isAcknowledged = answer.status === 200 || answer.status === 201
      if (isAcknowledged && mayAsk) waverer.granted(answer.body)
      if (isAcknowledged || answer.status === step.isDone) {
        // Once the other requests have the new hub token.
        const settledAt = Date.now()
        settled.push({ account: waverer.name, mayAsk, sentAt, settledAt, requests })
        return
      }
      await between(20, 100)
    }
  }
  const keepChanging = async (waverer: Waverer) => {
    await pause(0, 1000)
    while (!isOver) {
      await settle(waverer, false)
      await pause(200, maxPauseMs.withdrawn)
      await settle(waverer, true)
      await pause(200, maxPauseMs.granted)
    }
  }
  const waiting: Promise<unknown>[] = []
  const all = wavering.flatMap((waverer) => {
    const kept: Token[] = []
    return [
      ...hubs.map((hub) => keepAsking(waverer, hub, kept)),
      ...doors.map((door) => keepUsing(waverer.name, door, kept)),
      keepChanging(waverer),
    ]
  })
  const others = atStop.flatMap((waverer) => hubs.map((hub) => keepAsking(waverer, hub, [])))
  const running = Promise.all([...all, ...others])
  return {
    ...{ asked, used, changed, settled },
    ...{ uploaded: uploads.uploaded, uploadsKept: uploads.uploadsKept },
    async whileKnownAt(hub, work) {
      const { promise, resolve } = Promise.withResolvers<void>()
      quiet = promise
      await Promise.all(settling)
      await delay(heardWithinMs)
      const ask = () => Promise.all(atStop.map((one) => askToken(one.name, one.hubToken(), hub)))
      // The second time from memory, on the connections of the first.
      await ask()
      await ask()
      work()
      resolve()
    },
    async withdrawFrom(stopped) {
      const among = hubs.filter((hub) => hub !== stopped)
      await Promise.all(atStop.map((waverer) => settle(waverer, false, among)))
      waiting.push(...atStop.map(({ name, hubToken }) => askToken(name, hubToken(), stopped)))
    },
    async giveBack() {
      await Promise.all(atStop.map((waverer) => settle(waverer, true)))
    },
    async stop() {
      isOver = true
      end()
      await Promise.all([running, uploads.stop(), ...waiting])
    },
  }
}

function sendStep({ url }: Hub, { method, path, input }: Step, token: string): Promise<Answer> {
  return ask(`${url}/admin/v1${path}`, { token, method, ...(input && { input }) })
}

function readToken({ body }: Answer): Token {
  const { accessToken, casUrl } = body as { accessToken: string; casUrl: string }
  const claims = JSON.parse(Buffer.from(accessToken.split('.')[1] ?? '', 'base64url').toString())
  return { accessToken, casUrl, asOf: claims.as_of, iat: claims.iat }
}
