/** What a person is told about a TLS connection that failed, by what really made it fail. */

import { createServer as createPlainServer, type Server } from 'node:http'
import { createServer, get } from 'node:https'
import type { AddressInfo } from 'node:net'
import { type KeyedCertificate, newIssuer, selfSigned } from '@latchkey/testing/tls/certificates'
import { expect, onTestFinished, test } from 'vitest'
import { tlsReason } from '../src/http/ask.ts'

const issuer = newIssuer('Known')
const names = ['localhost']
const aDayMs = 24 * 60 * 60 * 1000
const [yesterday, tomorrow] = [new Date(Date.now() - aDayMs), new Date(Date.now() + aDayMs)]
const long = { before: new Date(Date.now() - 2 * aDayMs), after: new Date(Date.now() + 2 * aDayMs) }

/** The code with which a request to this server fails, where `ca` is all that is trusted. */
async function failureOf(server: Server, ca?: string): Promise<string> {
  onTestFinished(() => {
    server.close()
    server.closeAllConnections()
  })
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', () => done()))
  const { port } = server.address() as AddressInfo
  return new Promise((resolve) => {
    get({ host: 'localhost', port, agent: false, ...(ca === undefined ? {} : { ca }) })
      .on('response', () => resolve('none'))
      .on('error', (error) => resolve('code' in error ? String(error.code) : error.message))
  })
}

function withCertificate(certificate: KeyedCertificate): Server {
  return createServer({ ...certificate }, (_, response) => response.end())
}

// biome-ignore format: a table is read by its columns
test.each([
  ['self-signed',         selfSigned({ names }),                                                  undefined,                  /^its certificate is self-signed; .*--ca-cert FILE$/],
  ['an unknown issuer',   issuer.issue({ names }),                                                undefined,                  /^the issuer of its certificate is not known here; .*--ca-cert FILE$/],
  ['a namesake',          issuer.issue({ names }),                                                newIssuer('Known').cert,    /^its certificate is not signed by the issuer/],
  ['expired',             issuer.issue({ names, notBefore: long.before, notAfter: yesterday }),   issuer.cert,                /has expired; its operator must renew it$/],
  ['not yet valid',       issuer.issue({ names, notBefore: tomorrow, notAfter: long.after }),     issuer.cert,                /^its certificate is not valid yet; compare the clocks/],
  ['another host name',   issuer.issue({ names: ['hub.example'] }),                               issuer.cert,                /^its certificate is for another host name; /],
] as const)('%s is told as what it is', async (_, certificate, ca, says) => {
  const code = await failureOf(withCertificate(certificate), ca)
  expect(tlsReason(code), code).toMatch(says)
})

test('a service without TLS is told as what it is', async () => {
  const code = await failureOf(createPlainServer((_, response) => response.end()))
  expect(tlsReason(code), code).toMatch(
    /^what answers there does not speak TLS, .* it may serve plain http$/,
  )
})

// conformance: Client / --ca-cert adds certificates, and verification stays on
test.each(['CERT_HAS_EXPIRED', 'CERT_NOT_YET_VALID', 'ERR_TLS_CERT_ALTNAME_INVALID'])(
  '--ca-cert is not named where it would not help: %s',
  (code) => {
    expect(tlsReason(code)).not.toContain('--ca-cert')
  },
)

test.each(['ECONNREFUSED', 'constructor', undefined, 42])('%s has no reason in TLS', (code) => {
  expect(tlsReason(code)).toBeUndefined()
})
