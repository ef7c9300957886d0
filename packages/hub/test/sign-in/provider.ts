/** A real OpenID provider in this process: everybody who names an account is signed in as it. */

import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { exportJWK, generateKeyPair, type JWK, SignJWT } from 'jose'
import Provider from 'oidc-provider'

export interface TestProvider {
  readonly issuer: string
  readonly clientId: string
  readonly clientSecret: string
  /** The claims of the people, by subject; a test changes them. */
  readonly people: Map<string, Record<string, unknown>>
  /** Their refresh tokens are refused with `invalid_grant`. */
  readonly leavers: Set<string>
  /** Called with each request to the token endpoint, which goes on when it gives false. */
  intercept: ((request: IncomingMessage, response: ServerResponse) => boolean) | undefined
  /** Signs with another key from now on, and publishes it alone. Gives a signer with the key before. */
  rotate(): Promise<(claims: object) => Promise<string>>
  close(): Promise<void>
}

export async function startProvider(redirectUris: readonly string[]): Promise<TestProvider> {
  const people = new Map<string, Record<string, unknown>>()
  const leavers = new Set<string>()
  const server = createServer()
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const client = { clientId: 'latchkey', clientSecret: 'a-secret-of-the-client' }
  const configured = (jwk: JWK) =>
    new Provider(issuer, {
      jwks: { keys: [jwk] },
      clients: [
        {
          client_id: client.clientId,
          client_secret: client.clientSecret,
          redirect_uris: [...redirectUris],
          grant_types: ['authorization_code', 'refresh_token'],
          response_types: ['code'],
        },
      ],
      scopes: ['openid', 'profile', 'email', 'offline_access'],
      issueRefreshToken: async (
        _: unknown,
        __: unknown,
        { scopes }: { readonly scopes: Set<string> },
      ) => scopes.has('offline_access'),
      // A used one that comes again ends the sign-in.
      rotateRefreshToken: true,
      // A test moves the clock of the hub, and not this one.
      ttl: { IdToken: 30 * 86_400, RefreshToken: 30 * 86_400, Grant: 30 * 86_400 },
      claims: { openid: ['sub'], profile: ['preferred_username', 'groups', 'email_verified'] },
      // As most providers do, so that no second request is needed.
      conformIdTokenClaims: false,
      features: { devInteractions: { enabled: false } },
      pkce: { required: () => true },
      cookies: { keys: ['a key of the test'] },
      findAccount: (_: unknown, sub: string) =>
        leavers.has(sub)
          ? undefined
          : { accountId: sub, claims: async () => ({ sub, ...people.get(sub) }) },
      interactions: {
        url: (_: unknown, { uid }: { readonly uid: string }) => `/interaction/${uid}`,
      },
    })
  let key = await makeKey(1)
  let provider = configured(key.jwk)
  const test: TestProvider = {
    ...{ issuer, ...client, people, leavers, intercept: undefined },
    async rotate() {
      const before = key
      key = await makeKey(Number(before.kid.slice(4)) + 1)
      provider = configured(key.jwk)
      return (claims) =>
        new SignJWT({ ...claims })
          .setProtectedHeader({ alg: 'RS256', kid: before.kid })
          .sign(before.privateKey)
    },
    async close() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
  server.on('request', async (request, response) => {
    const { pathname, searchParams } = new URL(request.url ?? '/', issuer)
    if (pathname === '/token' && test.intercept?.(request, response)) return
    if (!pathname.startsWith('/interaction/')) return provider.callback()(request, response)
    // A form by GET, because the account is all that it asks for.
    const accountId = searchParams.get('account')
    const { prompt, params, session } = await provider.interactionDetails(request, response)
    if (prompt.name === 'login' && accountId === null) {
      response.setHeader('content-type', 'text/html')
      response.end(
        '<!doctype html><title>Provider</title><link rel="icon" href="data:,"><form><label>Account <input name="account"></label><button>Continue</button></form>',
      )
      return
    }
    if (prompt.name === 'login') {
      const login = { accountId: accountId ?? '' }
      return provider.interactionFinished(request, response, { login })
    }
    const grant = new provider.Grant({
      accountId: session?.accountId ?? '',
      clientId: String(params['client_id']),
    })
    grant.addOIDCScope('openid profile email offline_access')
    const grantId = await grant.save()
    const finished = { consent: { grantId } }
    return provider.interactionFinished(request, response, finished, {
      mergeWithLastSubmission: true,
    })
  })
  return test
}

async function makeKey(count: number) {
  const { privateKey } = await generateKeyPair('RS256', { extractable: true })
  const kid = `key-${count}`
  return {
    kid,
    privateKey,
    jwk: { ...(await exportJWK(privateKey)), kid, use: 'sig', alg: 'RS256' },
  }
}

/** A browser as far as redirects and cookies go: each host has its own cookies. */
export class Visitor {
  readonly #jars = new Map<string, Map<string, string>>()

  jar(url: string): Map<string, string> {
    const { host } = new URL(url)
    const jar = this.#jars.get(host) ?? new Map<string, string>()
    this.#jars.set(host, jar)
    return jar
  }

  async get(url: string): Promise<Response> {
    const cookie = [...this.jar(url)].map(([name, value]) => `${name}=${value}`).join('; ')
    const headers = { accept: 'text/html', ...(cookie !== '' && { cookie }) }
    const answer = await fetch(url, { headers, redirect: 'manual' })
    for (const line of answer.headers.getSetCookie()) {
      const [pair = ''] = line.split(';')
      const at = pair.indexOf('=')
      const [name, value] = [pair.slice(0, at), pair.slice(at + 1)]
      if (value === '' || /max-age=0/i.test(line)) this.jar(url).delete(name)
      else this.jar(url).set(name, value)
    }
    return answer
  }

  /** Follows redirects as long as `goesOn` says so; the last address, and the response unless it was not asked for. */
  async follow(
    url: string,
    goesOn: (url: string) => boolean = () => true,
  ): Promise<{ readonly url: string; readonly answer?: Response }> {
    let here = url
    for (let steps = 0; steps < 20; steps += 1) {
      if (!goesOn(here)) return { url: here }
      const answer = await this.get(here)
      const location = answer.headers.get('location')
      if (location === null) return { url: here, answer }
      here = new URL(location, here).href
    }
    throw new Error(`${url} leads nowhere`)
  }
}
