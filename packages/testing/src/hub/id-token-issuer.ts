/** A platform that signs id tokens, as GitHub Actions does, on a loopback address. */

import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { exportJWK, generateKeyPair, type JWK, SignJWT } from 'jose'

export interface IdTokenIssuer {
  readonly issuer: string
  /** Signs what it is given; `header` and `by` are for id tokens that no platform would sign. */
  sign(
    claims: object,
    how?: { readonly header?: object; readonly isForged?: boolean },
  ): Promise<string>
  /** Signs with another key from now on; the one before stays published only if `keeps`. */
  rotate(keeps?: boolean): Promise<void>
  /** The paths that were asked for. */
  readonly requests: string[]
  /** Answers in place of the documents, until it is undefined again. */
  answer: ((response: ServerResponse, path: string) => boolean) | undefined
  close(): Promise<void>
}

export async function startIssuer(): Promise<IdTokenIssuer> {
  const forger = await generateKeyPair('RS256')
  let count = 0
  const makeKey = async () => {
    const { publicKey, privateKey } = await generateKeyPair('RS256', { extractable: true })
    count += 1
    const kid = `key-${count}`
    return {
      kid,
      privateKey,
      jwk: { ...(await exportJWK(publicKey)), kid, use: 'sig', alg: 'RS256' },
    }
  }
  let key = await makeKey()
  let published: readonly JWK[] = [key.jwk]
  const requests: string[] = []
  const server = createServer((request, response) => {
    const path = request.url ?? ''
    requests.push(path)
    if (made.answer?.(response, path) === true) return
    const jwks_uri = `${made.issuer}/keys`
    const document = path === '/keys' ? { keys: published } : { issuer: made.issuer, jwks_uri }
    response.setHeader('content-type', 'application/json')
    response.end(JSON.stringify(document))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  const made: IdTokenIssuer = {
    issuer: `http://127.0.0.1:${port}`,
    requests,
    answer: undefined,
    sign: (claims, { header = {}, isForged = false } = {}) =>
      new SignJWT({ iss: made.issuer, ...claims })
        .setProtectedHeader({ alg: 'RS256', kid: key.kid, typ: 'JWT', ...header })
        .sign(isForged ? forger.privateKey : key.privateKey),
    async rotate(keeps = false) {
      const before = published
      key = await makeKey()
      published = keeps ? [...before, key.jwk] : [key.jwk]
    },
    async close() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
  return made
}
