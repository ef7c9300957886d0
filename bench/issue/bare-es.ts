/** The floor of what any Node issuer pays: sign one ES256 JWT a request with a prepared key, answer the JSON. */

import { generateKeyPairSync, randomUUID, sign } from 'node:crypto'
import { createServer } from 'node:http'

const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
const key = { key: privateKey, dsaEncoding: 'ieee-p1363' as const }
const header = Buffer.from('{"alg":"ES256","typ":"at+jwt"}').toString('base64url')

const server = createServer((_request, response) => {
  const iat = Math.floor(Date.now() / 1000)
  const claims = {
    iss: 'http://hub',
    sub: 'someone',
    scope: 'read',
    iat,
    exp: iat + 900,
    jti: randomUUID(),
  }
  const signed = `${header}.${Buffer.from(JSON.stringify(claims)).toString('base64url')}`
  const signature = sign('sha256', Buffer.from(signed), key).toString('base64url')
  const accessToken = `${signed}.${signature}`
  const body = JSON.stringify({ accessToken, exp: claims.exp, casUrl: 'http://cas' })
  response.writeHead(200, {
    'Content-Type': 'application/json',
    'Content-Length': Buffer.byteLength(body),
  })
  response.end(body)
})

server.listen(0, '127.0.0.1', () => {
  const address = server.address()
  const port = typeof address === 'object' && address !== null ? address.port : 0
  process.send?.(port)
})
process.on('disconnect', () => process.exit())
