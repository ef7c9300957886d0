/** The cases of vectors/client.json, which the clients of all languages run. */

import { readFileSync } from 'node:fs'
import { inspect } from 'node:util'
import type {
  CallStep,
  ClientCase,
  ClientDocument,
  ClientStep,
  ClientVectorOptions,
  Outcome,
} from '@latchkey/testing/vectors/client-script'
import { expect, it } from 'vitest'
import { createStorageClient, LatchkeyError, type StorageClient } from '../../src/index.ts'
import { isDone, type MovedClock, movedClock } from '../moved-clock.ts'
import { type ScriptedNetwork, scriptedNetwork } from './scripted-network.ts'

const file = new URL('../../../../vectors/client.json', import.meta.url)
const document: ClientDocument = JSON.parse(readFileSync(file, 'utf8'))

// conformance: Client / Concurrent callers share one token request
// conformance: Client / The client does not remember a failed refresh
// conformance: Client / A wrong clock loses no request
// conformance: Client / A token that is shorter than the refresh buffer causes no request storm
// conformance: Client / An unused client stops refreshing
// conformance: Client / The client calls a hub token function again after a 401
// conformance: Client / The client retries 429, 5xx and network errors within limits
// conformance: Client / The client repairs a storage 401 once, and sends no partial stream
// conformance: Guarantees / The client never uses one identity's token for another
// conformance: Guarantees / Tokens go only to their own origin
// conformance: Client flow / 1 and 2. The client sends one request and reads all three members
// conformance: Client flow / 4. The client refreshes a token 30 s before exp with the same request
// conformance: Client flow / The client uses another token for another repository or ref
// conformance: Client flow / The client requests write tokens only when it needs them
// conformance: Attacks / 28. An attacker makes a client send a token to another origin
it.each(document.cases.map((one) => [one.name, one] as const))('a client: %s', async (_, one) => {
  const run = new CaseRun(one)
  await run.steps(one.steps)
})

class CaseRun {
  readonly #clock: MovedClock
  readonly #network: ScriptedNetwork
  readonly #options: ClientVectorOptions
  readonly #clients = new Map<string, StorageClient>()
  /** The hub of each hub token. */
  readonly #hubTokens = new Map<string, string>()

  constructor({ options = {}, skewSeconds = 0 }: ClientCase) {
    this.#clock = movedClock({ skewSeconds, startMs: document.now * 1000 })
    this.#network = scriptedNetwork(this.#clock, document.token)
    this.#options = { ...document.options, ...options }
  }

  async steps(steps: readonly ClientStep[]): Promise<void> {
    for (const step of steps) {
      await this.#step(step)
      this.#checkTokens()
    }
  }

  async #step(step: ClientStep): Promise<void> {
    if ('hub' in step) this.#network.hub = step.hub
    else if ('storage' in step) this.#network.storage = step.storage
    else if ('advance' in step) await this.#clock.pass(step.advance)
    else if ('setClock' in step) this.#clock.set(step.setClock)
    else if ('revoke' in step) this.#network.revoked.add(step.revoke)
    else if ('close' in step) this.#client(step.close).close()
    else if ('open' in step) {
      const options = { ...this.#options, ...step.options }
      expect(this.#opened(step.open, options)).toMatchObject(step.outcome ?? {})
    } else if ('count' in step) {
      const { toHub, toStorage } = this.#network
      expectCount('hub', toHub.length, step.count.hub)
      expectCount('storage', toStorage.length, step.count.storage)
    } else if ('repeat' in step) {
      for (let round = 0; round < step.repeat; round += 1) await this.steps(step.steps)
    } else await this.#call(step)
  }

  async #call(step: CallStep): Promise<void> {
    const { outcome, alternative = outcome, took: [least, greatest] = [0, 600] } = step
    const client = this.#client(step.client ?? 'client')
    const start = this.#clock.trueMs()
    const sentBefore = this.#network.seen.length
    const calls = Array.from({ length: step.concurrently ?? 1 }, () =>
      callOf(client, step).catch((error) => this.#outcomeOf(error)),
    )
    const outcomes = await this.#ended(Promise.all(calls))
    const seconds = (this.#clock.trueMs() - start) / 1000
    for (const result of outcomes) {
      const expected = result.code === alternative.code ? alternative : outcome
      // An error has a status, too.
      expect(result.code).toBe(expected.code)
      expect(result).toMatchObject(expected)
    }
    expect(seconds, 'seconds that the call took').toBeGreaterThanOrEqual(least)
    expect(seconds, 'seconds that the call took').toBeLessThanOrEqual(greatest)
    if (step.sends === undefined) return
    const sent = this.#network.seen.slice(sentBefore).map(({ headers, ...request }) => ({
      ...request,
      headers: Object.fromEntries(headers),
    }))
    expect(sent).toMatchObject(step.sends)
  }

  /** Lets time pass until the calls have ended. */
  async #ended<Result>(work: Promise<Result>): Promise<Result> {
    while (!(await isDone(work))) {
      const waits = this.#clock.waiting().map(({ inMs }) => inMs)
      const next = Math.min(...waits)
      if (next > 600_000) throw new Error('the call does not end')
      await this.#clock.pass(next / 1000)
    }
    return work
  }

  #client(name: string): StorageClient {
    const client = this.#clients.get(name) ?? this.#opened(name, this.#options)
    if ('token' in client) return client
    throw new Error(`the client ${name} cannot be made: ${client.message}`)
  }

  #opened(name: string, { hubToken, ...options }: ClientVectorOptions): StorageClient | Outcome {
    const { hubUrl = '', repo = '' } = options
    const tokens = [hubToken ?? []].flat()
    for (const token of tokens) this.#hubTokens.set(token, hubUrl)
    const inTurn = () => (tokens.length > 1 ? tokens.shift() : tokens[0]) ?? ''
    try {
      const client = createStorageClient({
        ...{ ...options, hubUrl, repo, clock: this.#clock, fetch: this.#network.fetch },
        hubToken: Array.isArray(hubToken) ? inTurn : tokens[0],
        random: () => 0.5,
      })
      this.#clients.set(name, client)
      return client
    } catch (error) {
      return this.#outcomeOf(error)
    }
  }

  #outcomeOf(error: unknown): Outcome {
    if (!(error instanceof LatchkeyError)) throw error
    const shown = `${inspect(error, { showHidden: true })}${error}${JSON.stringify(error)}`
    // The places in a stack have any digits, and so may the shortest token.
    const text = shown.replaceAll(/(?:file|node):\S+:\d+:\d+/g, '')
    for (const token of [...this.#hubTokens.keys(), ...this.#network.homes.keys()]) {
      if (token.trim() !== '') expect(text).not.toContain(token)
    }
    // Its message is no own enumerable property.
    return { ...error, message: error.message } as Outcome
  }

  #checkTokens(): void {
    const homes = [...this.#hubTokens, ...this.#network.homes].filter(([token]) => token !== '')
    for (const { url, headers, body, redirect } of this.#network.seen.splice(0)) {
      expect(redirect).toBe('manual')
      for (const [token, home] of homes) {
        if (headers.get('authorization') === `Bearer ${token}`) {
          expect(url.startsWith(`${home.replace(/\/$/, '')}/`), `${url} gets ${token}`).toBe(true)
          headers.delete('authorization')
        }
        expect(`${url}\n${[...headers]}\n${body}`).not.toContain(token)
      }
    }
  }
}

async function callOf(client: StorageClient, call: CallStep): Promise<Outcome> {
  if (call.token !== undefined) {
    const { accessToken, ...token } = await client.token(call.token)
    return { ...token, accessToken: accessToken.reveal() }
  }
  const { path = '', ...init } = call.storageRequest ?? {}
  const response = await client.fetch(path, init)
  return { status: response.status, body: await response.text() }
}

function expectCount(
  side: string,
  count: number,
  limits: number | readonly [number, number] = [0, Number.POSITIVE_INFINITY],
): void {
  const [least, greatest] = typeof limits === 'number' ? [limits, limits] : limits
  expect(count, `requests to the ${side}`).toBeGreaterThanOrEqual(least)
  expect(count, `requests to the ${side}`).toBeLessThanOrEqual(greatest)
}
