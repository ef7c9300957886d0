/** Responses of a running storage are as its OpenAPI document describes them. */

import { makeShard } from '@latchkey/testing/xet/making'
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest'
import { type OperationName, operations as table } from '../../src/openapi/operations.ts'
import { type Caller, type Recipe, rangeOf, type Sent, type Told, tell } from '../caller.ts'
import { bySha256, contentOf, put } from '../isolation/content.ts'
import { openStage, type Stage } from '../stage.ts'
import {
  type DescribedDocument,
  type DescribedOperation,
  flawsOf,
  schemasOf,
} from './described-responses.ts'

const content = contentOf('as described')
const { xorb, file, bytes, firstChunk } = content
const nowhere = 'f'.repeat(64)
const shard = new Uint8Array(makeShard({ files: [file], xorbs: [xorb] }))
const wrongShard = new Uint8Array(makeShard({ files: [{ ...file, hash: xorb.hash }] }))
const range = { headers: { range: 'bytes=0-9' } }
const beyond = { headers: { range: `bytes=${10 * bytes.length}-` } }
const list = (value: unknown) => ({ body: JSON.stringify(value) })

let stage: Stage
let writer: Caller
let reader: Caller
let document: DescribedDocument
let schemas: ReturnType<typeof schemasOf>
let operations: ReadonlyMap<string, readonly [path: string, operation: DescribedOperation]>
beforeAll(async () => {
  stage = await openStage()
  const repository = await stage.newRepository()
  writer = await stage.caller(`write ${repository}@main`)
  reader = await stage.caller(`read ${repository}@main`)
  await put(writer, content)
  document = (await tell(`${stage.url}/openapi.json`)).json as unknown as DescribedDocument
  schemas = schemasOf(document)
  operations = new Map(
    Object.entries(document.paths).flatMap(([path, item]) =>
      Object.entries(item).flatMap(([method, operation]) =>
        operation.operationId === undefined
          ? []
          : [[operation.operationId, [`${method.toUpperCase()} ${path}`, operation]]],
      ),
    ),
  )
})
afterAll(() => stage.close())

// biome-ignore format: a table is read by its columns
const requests: readonly (readonly [operation: OperationName, status: number, path: string, sent?: Sent, as?: 'read'])[] = [
  ['uploadFile',                200, '', { body: 'a file' }],
  ['uploadFile',                400, '', { body: 'a file', headers: { 'repr-digest': `sha-256=:${'A'.repeat(43)}=:` } }],
  ['uploadFile',                400, '', { body: 'a file', headers: { 'repr-digest': 'sha-256=:short:' } }],
  ['uploadFile',                202, '?upload=a', { body: 'a', headers: { 'content-range': 'bytes 0-0/2' } }],
  ['uploadFile',                409, '?upload=a', { body: 'a', headers: { 'content-range': 'bytes 0-0/2' } }],
  ['uploadFile',                400, '?upload=.', { body: 'a' }],
  ['findUpload',                200, '?upload=a'],
  ['findUpload',                400, ''],
  ['findUpload',                404, '?upload=b'],
  ['deleteUpload',              204, '?upload=a'],
  ['deleteUpload',              404, '?upload=a'],
  ['findFile',                  200, file.hash],
  ['findFile',                  404, nowhere],
  ['readFile',                  200, file.hash],
  ['readFile',                  206, file.hash, range],
  ['readFile',                  416, file.hash, beyond],
  ['readFile',                  404, nowhere],
  ['readFile',                  400, file.hash, { headers: { range: 'bytes=-1' } }],
  ['findFileBySha256',          200, bySha256(content)],
  ['findFileBySha256',          400, content.sha256],
  ['findFileBySha256',          404, `${nowhere}?size=1`],
  ['uploadXorb',                200, xorb.hash, { body: new Uint8Array(xorb.bytes) }],
  ['uploadXorb',                400, xorb.hash, { body: 'no xorb' }],
  ['uploadXorb',                403, xorb.hash, {}, 'read'],
  ['readXorb',                  200, xorb.hash],
  ['readXorb',                  206, xorb.hash, range],
  ['readXorb',                  404, nowhere],
  ['readXorb',                  416, xorb.hash, beyond],
  ['requestXorbGrant',          404, xorb.hash, list({})],
  ['commitXorbGrant',           404, `${xorb.hash}/grant/${'0'.repeat(32)}`],
  ['registerFiles',             200, '', { body: shard }],
  ['registerFiles',             400, '', { body: wrongShard }],
  ['registerFilesWithProgress', 200, '', { body: shard }],
  ['registerFilesWithProgress', 200, '', { body: wrongShard }],
  ['linkFiles',                 200, '', list({ files: [file.hash], through: [] })],
  ['linkFiles',                 400, '', list({})],
  ['linkFiles',                 401, '', list({ files: [file.hash], through: ['no token'] })],
  ['linkFiles',                 404, '', list({ files: [nowhere] })],
  ['linkFiles',                 413, '', { body: ' '.repeat(300 * 1024) }],
  ['reconstructFile',           200, file.hash],
  ['reconstructFile',           404, nowhere],
  ['reconstructFile',           416, file.hash, beyond],
  ['reconstructFileV2',         200, file.hash],
  ['reconstructFileV2',         401, file.hash, { token: null }],
  ['reconstructFileV2',         400, file.hash, { headers: { range: 'bytes=-1' } }],
  ['reconstructListedFiles',    200, `?file_id=${file.hash}`],
  ['reconstructListedFiles',    400, ''],
  ['reconstructPostedFiles',    200, '', list([{ prefix: 'default', hash: file.hash }])],
  ['reconstructPostedFiles',    404, '', list([{ hash: nowhere }])],
  ['findChunk',                 200, firstChunk],
  ['findChunk',                 404, nowhere],
  ['sendTelemetry',             200, '', list({})],
]

/** `end` is the end of the path: the hash and the query, or one of them. */
function callOf(name: string, end: string): string {
  const [call = ''] = operations.get(name) ?? []
  const [stem = ''] = call.split('{hash}')
  return stem + end.replace(stem.replace(/^\w+ /, ''), '')
}

function flaws(name: string, told: Told): readonly string[] {
  const [, operation] = operations.get(name) ?? []
  if (operation === undefined) return [`${name} is not described`]
  return flawsOf({ document, schemas }, operation, told)
}

test.each(requests.map(([name, status, end, sent, as]) => ({ name, status, end, sent, as })))(
  '$name responds with $status as described',
  async ({ name, status, end, sent, as }) => {
    const told = await (as === 'read' ? reader : writer).ask(callOf(name, end), sent)
    expect(told.status).toBe(status)
    expect(flaws(name, told)).toEqual([])
  },
)

test('every operation with a token is among these requests', () => {
  const withToken = Object.keys(table).filter((name) => name !== 'readBlob')
  expect([...new Set(requests.map(([name]) => name))].toSorted()).toEqual(withToken.toSorted())
})

test('bodies of the requests that are accepted have their schema', () => {
  for (const [name, status, , sent] of requests) {
    const schema = operations.get(name)?.[1].requestBody?.content?.['application/json']?.schema
    if (schema === undefined || status !== 200) continue
    expect(schemas.validate(schema, JSON.parse(String(sent?.body))), name).toBe(true)
  }
})

test('blobs respond as described', async () => {
  const { json } = await reader.ask(`GET /v2/reconstructions/${file.hash}`)
  const [given] = (json as unknown as Recipe).xorbs[xorb.hash] ?? []
  const [part] = given?.ranges ?? []
  if (given === undefined || part === undefined) throw new Error('no URL was given')
  const right = await reader.fetch(given.url, { headers: { range: rangeOf(part.bytes) } })
  const wrong = await reader.fetch(`${given.url}0`)
  expect([right.status, wrong.status]).toEqual([206, 403])
  expect([flaws('readBlob', right), flaws('readBlob', wrong)]).toEqual([[], []])
})

test('routes for operators respond as described', async () => {
  const alone = await openStage({
    settings: { operations: { host: '127.0.0.1', port: undefined } },
  })
  onTestFinished(() => alone.close())
  const paths = {
    description: '/openapi.json',
    isAlive: '/healthz',
    isReady: '/readyz',
    metrics: '/metrics',
  }
  for (const [name, path] of Object.entries(paths)) {
    const told = await tell(alone.url + path)
    expect([name, told.status, flaws(name, told)]).toEqual([name, 200, []])
  }
})

test('a response that is not as described is found', async () => {
  const told = await reader.ask(callOf('findFileBySha256', bySha256(content)))
  const other = (more: object): Told => ({ ...told, ...more })
  const name = 'findFileBySha256'
  expect(flaws(name, other({ text: '{"fileHash":1,"size":1}' }))).toHaveLength(1)
  expect(flaws(name, other({ text: told.text.replace('{', '{"more":1,') }))).toHaveLength(1)
  expect(flaws(name, other({ status: 418 }))).toHaveLength(1)
  expect(flaws('findFile', told)).not.toEqual([])
})

test('the document needs no token, and names the URL of this storage', async () => {
  const told = await tell(`${stage.url}/openapi.json`)
  expect([told.status, told.headers.get('content-type')]).toEqual([200, 'application/json'])
  expect(document.servers).toEqual([expect.objectContaining({ url: stage.world.settings.casUrl })])
  const posted = await tell(`${stage.url}/openapi.json`, { method: 'POST' })
  expect([posted.status, posted.code]).toEqual([405, 'method_not_allowed'])
})
