/** The vectors through a real nginx whose script checks by itself: the gate's TypeScript, compiled for njs by the benchmark. */

import { readFileSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { rounds } from '@latchkey/testing/chance'
import { countingHandler, identityIn } from '@latchkey/testing/vectors/handler'
import { complaints, type Outcome } from '@latchkey/testing/vectors/judge'
import { type RawClient, rawClient } from '@latchkey/testing/vectors/raw-client'
import {
  matrix,
  requests,
  type Sent,
  type Vector,
  vectors,
} from '@latchkey/testing/vectors/read-vectors'
import type { Claims, InvalidToken } from '@latchkey/token'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { scriptFor } from '../../../../bench/gate/inside-nginx/build.ts'
import { insideConfiguration } from '../../../../bench/gate/inside-nginx/configuration.ts'
import { invalidDetail, readIdentity } from '../../../../bench/gate/inside-nginx/expected.ts'
import { nginxWith } from '../proxies/nginx.ts'
import { isMissing, njsModule } from '../proxies/programs.ts'
import type { RunningProgram } from '../proxies/running-program.ts'
import { shipped } from '../proxies/shipped.ts'

const untested = 'that the check inside nginx decides as the gate does'

/** One nginx is asked about every eighth combination, and in a soak about all: it verifies each token anew. */
const step = rounds(8, 1)
const share = matrix.filter((_, at) => at % step === 0)

const handler = countingHandler()
/** Answers with the number of bytes that it got. As the configuration says, nginx keeps connections for 40 s, and repeats no POST. */
const storage = createServer({ keepAliveTimeout: 60_000 }, (request, response) => {
  let bytes = 0
  request.on('data', (chunk: Buffer) => {
    bytes += chunk.length
  })
  request.on('end', () => {
    // This storage gets the whole path; the vectors name the rest of it.
    const rest = (request.url ?? '').replace(/^\/r\/[^/?]+\/[^/?]+\/?/, '/')
    response.setHeader('seen', handler.handleForwarded(rest, request.rawHeaders))
    response.end(String(bytes))
  })
})

async function run(): Promise<RunningProgram> {
  const { jwks, issuer, casUrl, leewaySeconds, now } = vectors
  const script = await scriptFor({ jwks, issuer, casUrl, leewaySeconds, now })
  await new Promise<void>((done) => storage.listen(0, '127.0.0.1', () => done()))
  const { port: storagePort } = storage.address() as AddressInfo
  return nginxWith((port, folder) => {
    const file = join(folder, 'check.js')
    writeFileSync(file, script)
    const plain = shipped('nginx/latchkey.conf', [
      ['127.0.0.1:8081', `127.0.0.1:${port}`],
      ['127.0.0.1:9000', `127.0.0.1:${storagePort}`],
    ])
    return insideConfiguration(plain, file)
  }, `load_module ${njsModule};`)
}

/** Requests that nginx refuses or changes before its script is asked, or that this storage refuses. */
// biome-ignore format: a table is read by its columns
const refusedByOthers: readonly (readonly [name: RegExp, status: number, why: string])[] = [
  [/^two Authorization headers/,                                                  400, 'it takes one'],
  [/^Content-Length (?!0|of)/,                                                    400, 'it reads the length of a body itself'],
  [/^(?:get|post|patch) /,                                                        400, 'it takes methods in capitals alone'],
  [/^POST \/shard(?:%00|%|%zz|\t) with/,                                          400, 'it decodes the path for itself'],
  [/^POST \/sh ard with|^a space in the query$/,                                  400, 'it ends a target at a space'],
  [/^absolute form with another authority$/,                                      421, 'it takes the authority for the host'],
  [/^absolute form with (?:credentials|no authority|our authority as credentials)$/, 400, 'it takes the authority for the host'],
  [/^absolute form with no path$/,                                                404, 'it makes / of no path'],
  [/^(?:asterisk form|no target|CONNECT)$/,                                       400, 'it wants a path'],
  [/^CONNECT to a path$/,                                                         405, 'it opens no tunnels'],
  [/^BREW .* with a write token$/,                                                400, 'node:http, in which this storage is written, knows no such method'],
]

/** Refused by a gate that reads them; here nobody behind nginx can hear of them. */
// biome-ignore format: a table is read by its columns
const removedByNginx: readonly (readonly [name: RegExp, why: string])[] = [
  [/^(?:override header X_HTTP_Method_Override|override header X-Original_URL|identity header Latchkey_(?:Scope)?)$/, 'it drops headers with an underscore'],
  [/^absolute form with (?:another scheme|our authority and a port)$/,                                                'it takes scheme and authority off'],
]

const rulesFor = ({ name }: Vector) => ({
  refused: refusedByOthers.find(([pattern]) => pattern.test(name)),
  removed: removedByNginx.find(([pattern]) => pattern.test(name)),
})

interface TokenCase {
  readonly name: string
  readonly token: string
  readonly accepted: boolean
  readonly claims?: Claims
  readonly reason?: InvalidToken
}

const file = new URL('../../../../vectors/tokens.json', import.meta.url)
const { cases } = JSON.parse(readFileSync(file, 'utf8')) as { readonly cases: readonly TokenCase[] }

/** A header value neither holds a line break nor ends with a blank. */
const isSendable = ({ token }: TokenCase) => !/\n| $/.test(token)

/** njs has no EdDSA. */
const isUnderstood = ({ name }: TokenCase) => name !== 'EdDSA'

function requestWith({ token, claims }: TokenCase): Sent {
  const place = claims === undefined ? vectors.places['own'] : placeOf(claims)
  return {
    method: 'GET',
    target: `${place}/v1/chunks/default/abc`,
    headers: [['Authorization', `Bearer ${token}`]],
  }
}

function placeOf({ repo, ref }: Claims): string {
  return `/r/${repo.uid}/${ref.uid}`
}

function heard({ status, seen, body }: Outcome): unknown {
  if (status === 200) return { ...seen, gets: undefined }
  const { code, detail } = JSON.parse(body)
  return { status, code, detail }
}

function owedTo({ accepted, claims, reason = 'malformed' }: TokenCase): unknown {
  if (accepted && claims !== undefined) return identityIn(readIdentity(claims))
  return { status: 401, code: 'storage_token_invalid', detail: invalidDetail(reason) }
}

describe.skipIf(isMissing(['nginx', 'njs'], untested))(
  'through nginx that checks by itself',
  () => {
    let nginx: RunningProgram
    let client: RawClient
    beforeAll(async () => {
      nginx = await run()
      client = rawClient(nginx.url)
    })
    afterAll(async () => {
      client.close()
      await nginx.stop()
      storage.close().closeAllConnections()
    })

    test('its share of the combinations of token, method, place and path ends as the vectors say', async () => {
      expect(await complaints(share, client.send, handler)).toEqual([])
    })

    test('every single request ends as the vectors say, but those that others answer', async () => {
      const asked = requests.filter((vector) => {
        const { refused, removed } = rulesFor(vector)
        return refused === undefined && removed === undefined
      })
      expect(requests.length - asked.length).toBe(50)
      expect(await complaints(asked, client.send, handler)).toEqual([])
    })

    test('what is refused by others than the script is not handled', async () => {
      const before = handler.handled()
      for (const vector of requests) {
        const { refused } = rulesFor(vector)
        if (refused === undefined) continue
        expect((await client.send(vector)).status, vector.name).toBe(refused[1])
      }
      expect(handler.handled()).toBe(before)
    })

    test('what nginx takes off a request does not reach the storage, which hears of the token alone', async () => {
      for (const vector of requests.filter((one) => rulesFor(one).removed !== undefined)) {
        const { seen } = await client.send(vector)
        expect(Object.values(vectors.grants), vector.name).toContainEqual({
          ...seen,
          gets: undefined,
        })
      }
    })

    test('every token that a header can hold is taken or refused as the vectors say, for the same reason', async () => {
      const asked = cases.filter(isSendable).filter(isUnderstood)
      expect(cases.length - asked.length).toBe(4)
      for (const one of asked) {
        expect(heard(await client.send(requestWith(one))), one.name).toEqual(owedTo(one))
      }
    })

    test('a right token signed with EdDSA, which njs cannot verify, is refused and told so', async () => {
      const notUnderstood = cases.filter((one) => !isUnderstood(one))
      console.warn(`NOT UNDERSTOOD by njs: ${notUnderstood.map(({ name }) => name).join(', ')}.`)
      for (const one of notUnderstood) {
        expect(one.accepted).toBe(true)
        expect(heard(await client.send(requestWith(one)))).toMatchObject({
          status: 401,
          code: 'storage_token_invalid',
          detail: expect.stringContaining('EdDSA'),
        })
      }
    })

    test('an upload arrives whole, and a refused one is answered before its body is there', async () => {
      // The connection of a request that was not sent whole is of no use to others.
      const uploader = rawClient(nginx.url)
      onTestFinished(uploader.close)
      const target = `${vectors.places['own']}/v1/shards`
      const upload = (token: string, body: string) =>
        uploader.send({
          method: 'POST',
          target,
          headers: [
            ['Authorization', `Bearer ${vectors.tokens[token]}`],
            ['Content-Length', '1000000'],
          ],
          body,
        })
      expect((await upload('write', 'a'.repeat(1_000_000))).body).toBe('1000000')
      expect((await upload('read', 'a')).status).toBe(403)
    })

    test('the location of the script is not served to clients', async () => {
      const headers = [['Authorization', `Bearer ${vectors.tokens['write']}`]] as const
      const { status } = await client.send({ method: 'GET', target: '/latchkey-gate', headers })
      expect(status).toBe(404)
    })
  },
)
