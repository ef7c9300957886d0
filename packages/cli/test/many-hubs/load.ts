/** Steady load: accounts that ask for tokens and use them, uploads, and an administrator who changes who may do what. */

import { setTimeout as delay } from 'node:timers/promises'
import type { Chance } from '@latchkey/testing/chance'
import { type Held, storageCalls } from '../restore/storage-calls.ts'
import { type Answer, ask } from './ask.ts'
import type { Door, Hub, Site } from './site.ts'
import { type Step, tokenPath, type Waverer } from './waverers.ts'

/** A storage token, with what it says of itself. */
export interface Token extends Held {
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

export interface Uploaded {
  readonly word: string
  readonly sentAt: number
  readonly answeredAt: number
  readonly status: number
}

export interface Load {
  readonly asked: readonly Asked[]
  readonly used: readonly Used[]
  readonly changed: readonly Changed[]
  readonly settled: readonly Settled[]
  readonly uploaded: readonly Uploaded[]
  /** Everybody may ask again at the end. */
  stop(): Promise<void>
  /** Whether each upload that was acknowledged is there. */
  uploadsKept(): Promise<boolean>
}

const most = { tokensKept: 12, uploadsWithOneToken: 5 }

export function startLoad(site: Site, waverers: readonly Waverer[], chance: Chance): Load {
  const { hubs, doors, hubTokens } = site
  const asked: Asked[] = []
  const used: Used[] = []
  const changed: Changed[] = []
  const settled: Settled[] = []
  const uploaded: Uploaded[] = []
  const tokenOf = (account: string) => hubTokens.find((one) => one.account === account)?.token ?? ''
  const storage = storageCalls(site.storageUrl)
  let isOver = false
  const pick = <One>(all: readonly One[]): One => all[Math.floor(chance.next() * all.length)] as One
  const between = (from: number, to: number) => delay(from + chance.next() * (to - from))

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
      const { token } = await askToken(waverer.name, waverer.hubToken(), hub)
      if (token !== undefined) kept.push(token)
      if (kept.length > most.tokensKept) kept.splice(Math.floor(chance.next() * kept.length), 1)
      await between(50, 250)
    }
  }
  const keepUsing = async (account: string, door: Door, kept: readonly Token[]) => {
    while (!isOver) {
      const token = kept.length > 0 ? pick(kept) : undefined
      if (token !== undefined) {
        const url = door.url + new URL(token.casUrl).pathname + door.path
        const answer = await ask(url, { token: token.accessToken })
        used.push({ ...answer, account, door, token })
      }
      await between(50, 200)
    }
  }
  /** Asks one hub after the other until one of them says that it is done. */
  const settle = async (waverer: Waverer, mayAsk: boolean) => {
    const sentAt = Date.now()
    const requests: Changed[] = []
    for (;;) {
      const step = mayAsk ? waverer.grant() : waverer.withdraw()
      const hub = pick(hubs)
      const answer = await sendStep(hub, step, tokenOf('root'))
      requests.push({ ...answer, hub })
      changed.push({ ...answer, hub })
      const isAcknowledged = answer.status === 200 || answer.status === 201
      if (isAcknowledged && mayAsk) waverer.granted(answer.body)
      if (isAcknowledged || answer.status === step.isDone) {
        const settledAt = answer.answeredAt
        settled.push({ account: waverer.name, mayAsk, sentAt, settledAt, requests })
        return
      }
      await between(20, 100)
    }
  }
  const keepChanging = async (waverer: Waverer) => {
    await between(0, 1000)
    while (!isOver) {
      await settle(waverer, false)
      await between(200, 4000)
      await settle(waverer, true)
      if (!isOver) await between(200, 1000)
    }
  }
  const keepUploading = async () => {
    while (!isOver) {
      const { token } = await askToken('steady', tokenOf('steady'), pick(hubs))
      for (let left = most.uploadsWithOneToken; token && left > 0 && !isOver; left -= 1) {
        const word = `upload ${uploaded.length}`
        const sentAt = Date.now()
        const status = await storage.put(token, word)
        uploaded.push({ word, sentAt, answeredAt: Date.now(), status })
        await between(20, 200)
      }
      await between(20, 100)
    }
  }

  const all = waverers.flatMap((waverer) => {
    const kept: Token[] = []
    return [
      ...hubs.map((hub) => keepAsking(waverer, hub, kept)),
      ...doors.map((door) => keepUsing(waverer.name, door, kept)),
      keepChanging(waverer),
    ]
  })
  const running = Promise.all([...all, keepUploading()])
  return {
    ...{ asked, used, changed, settled, uploaded },
    async stop() {
      isOver = true
      await running
    },
    async uploadsKept() {
      const held = readToken(
        await ask(pick(hubs).url + tokenPath('steady'), { token: tokenOf('steady') }),
      )
      const acknowledged = uploaded.filter(({ status }) => status === 200)
      const looks = await Promise.all(acknowledged.map(({ word }) => storage.look(held, word)))
      return looks.every((status) => status === 200)
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
