/** A hub whose people sign in at two real OpenID providers, and browsers of theirs. */

import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openStore, type RunningHub, type Store, startHub } from '@latchkey/hub'
import { unixSeconds } from '@latchkey/protocol'
import { type SettingsChange, testSettings } from '@latchkey/testing/hub/hub-settings'
import { type RunVerb, verbRunner } from '@latchkey/testing/hub/run-verbs'
import { startProvider, type TestProvider, Visitor } from './provider.ts'

export const publicUrl = 'https://hub.example'

export const ada = {
  preferred_username: 'ada',
  groups: ['models', 'staff'],
  email_verified: true,
}

export interface SignInWorld {
  readonly hub: RunningHub
  readonly store: Store
  readonly data: string
  /** Asks for one of the groups `models`. */
  readonly corp: TestProvider
  /** Asks for a mail address that was verified. */
  readonly other: TestProvider
  readonly logLines: string[]
  readonly done: RunVerb
  /** The clock of the hub, beside that of the providers. */
  aheadSeconds: number
  browser(): Browser
  /** Before a test: one person, and providers that work. */
  reset(): void
  close(): Promise<void>
}

export async function openSignIn(change: SettingsChange = {}): Promise<SignInWorld> {
  const data = mkdtempSync(join(tmpdir(), 'latchkey-sign-in-'))
  const callback = (name: string) => `${publicUrl}/login/${name}/callback`
  // As where one platform serves several organisations, each hub has one client at both.
  const uris = [callback('corp'), callback('other')]
  const corp = await startProvider(uris)
  const other = await startProvider(uris)
  const clientSecretFile = join(data, 'client-secret')
  writeFileSync(clientSecretFile, `${corp.clientSecret}\n`)
  const { clientId } = corp
  const scopes = ['openid', 'profile']
  const common = { clientId, clientSecretFile, scopes, nameClaim: 'preferred_username' }
  const settings = testSettings(data, {
    ...change,
    identity: {
      providers: [
        {
          ...{ ...common, name: 'corp', issuer: corp.issuer },
          ...{ groupsClaim: 'groups', groups: ['models'], claims: {} },
        },
        {
          ...{ ...common, name: 'other', issuer: other.issuer },
          ...{ groups: [], claims: { email_verified: true } },
        },
      ],
    },
  })
  const logLines: string[] = []
  const clock = () => unixSeconds(Math.floor(Date.now() / 1000) + world.aheadSeconds)
  const lines = { write: (line: string) => void logLines.push(line), async close() {} }
  const world = { aheadSeconds: 0 }
  const hub = await startHub(settings, { clock, lines })
  const store = await openStore(settings, { create: false })
  const made: SignInWorld = Object.assign(world, {
    ...{ hub, store, data, corp, other, logLines },
    done: verbRunner({ ...store, data }, clock),
    browser: () => new Browser(hub),
    reset() {
      made.aheadSeconds = 0
      logLines.length = 0
      for (const provider of [corp, other]) {
        provider.people.clear()
        provider.people.set('ada-1', ada)
        provider.intercept = undefined
      }
    },
    async close() {
      await hub.stop()
      await store.close()
      await corp.close()
      await other.close()
      rmSync(data, { recursive: true, force: true })
    },
  })
  return made
}

/** Its requests to the public address of the hub reach the hub. */
export class Browser extends Visitor {
  readonly #hub: Pick<RunningHub, 'url'>

  constructor(hub: Pick<RunningHub, 'url'>) {
    super()
    this.#hub = hub
  }

  override get(url: string): Promise<Response> {
    return super.get(url.replace(publicUrl, this.#hub.url))
  }

  /** The cookies of the hub. */
  hubJar(): Map<string, string> {
    return this.jar(this.#hub.url)
  }

  /** To the provider: the address with what the hub asks it for, which is not opened. */
  async upToProvider(start = '/login/corp'): Promise<string> {
    const answer = await this.get(`${publicUrl}${start}`)
    return answer.headers.get('location') ?? ''
  }

  /** Through the form of the provider, and up to the way back, which is not opened. */
  async throughProvider(address: string, subject = 'ada-1'): Promise<string> {
    const isBack = (url: string) => url.includes('/callback')
    const form = await this.follow(address, (url) => !isBack(url))
    if (isBack(form.url)) return form.url
    const answered = `${form.url}?account=${subject}`
    return (await this.follow(answered, (one) => !isBack(one))).url
  }

  async upToCallback(start?: string, subject?: string): Promise<string> {
    return this.throughProvider(await this.upToProvider(start), subject)
  }

  async signIn(start?: string, subject?: string): Promise<SignInEnd> {
    return this.end(await this.upToCallback(start, subject))
  }

  /** Opens the way back. */
  async end(url: string): Promise<SignInEnd> {
    const answer = await this.get(url)
    return {
      status: answer.status,
      location: answer.headers.get('location'),
      text: await answer.text(),
      session: this.hubJar().get('__Host-latchkey'),
    }
  }

  /** Who the hub says it is. */
  async account(): Promise<string | undefined> {
    const answer = await this.get(`${publicUrl}/account`)
    return /Signed in as ([\w-]+)/.exec(await answer.text())?.[1]
  }

  /** Whether it may create hub tokens. */
  async isFresh(): Promise<boolean> {
    const answer = await this.get(`${publicUrl}/account`)
    return (await answer.text()).includes('name="days"')
  }
}

export interface SignInEnd {
  readonly status: number
  readonly location: string | null
  readonly text: string
  readonly session: string | undefined
}
