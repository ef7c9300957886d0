import { startGateway } from '@latchkey/gateway'
import { forwardAuth } from '@latchkey/gateway/forward-auth'
import { casUrl, issuer, keys } from '@latchkey/testing/gate/storage-tokens'
import { describe, expect, test } from 'vitest'
import { authenticator } from '../../src/adapters/authenticate.ts'
import { fastifyGate } from '../../src/adapters/fastify.ts'
import { guardNode } from '../../src/adapters/node.ts'
import { httpHubLink } from '../../src/hub-link/index.ts'
import { CannotStart, createGate, type GateOptions, guardFetch } from '../../src/index.ts'
import { hubKeys } from '../../src/keys/hub-keys.ts'
import { hubRevocations } from '../../src/revocations/hub-revocations.ts'

/** What somebody writes whose editor checks no types. */
const made = (options: object) => () => createGate(options as GateOptions)

const gate = createGate({ keys, issuer, casUrl })
const handler = () => new Response()

describe('options that no editor has checked', () => {
  // biome-ignore format: a table is read by its columns
  test.each([
    ['a guard that is mistyped',    { keys, issuer, casUrl, isRevokd: () => false },            /^isRevokd is no option of a gate\. Did you mean isRevoked\? Its options are hubUrl, /],
    ['a storage that is missing',   { hubUrl: 'https://hub.example' },                            /^audience is missing: give .*casUrl/],
    ['a hub that is missing',       { casUrl },                                                   /^hubUrl is missing: give the URL of the hub/],
    ['another choice without news', { keys, issuer, casUrl, whenStale: 'admitted' },               /^whenStale: "admitted" is not allowed; give reject or allow$/],
    ['a rule of another name',      { keys, issuer, casUrl, rules: { writes: [] } },                  /^writes is no option of rules\. Did you mean write\?/],
    ['a rule with a method',        { keys, issuer, casUrl, rules: { write: [{ method: 'POST', path: '/x' }] } }, /^method is no option of a rule\. Did you mean methods\?/],
    ['a guard that is no function', { keys, issuer, casUrl, isRevoked: true },                      /^isRevoked of a gate must be function, and is a boolean\.$/],
    ['a rule that is a text',       { keys, issuer, casUrl, rules: { write: ['POST /v1/foo'] } }, /^rules: "POST \/v1\/foo" matches no path/],
  ])('%s does not start, and is told in one line', (_, options, line) => {
    expect(made(options)).toThrow(CannotStart)
    expect(made(options)).toThrow(line)
  })
})

// biome-ignore format: a table is read by its columns
test.each<[string, (options: never) => unknown]>([
  ['guardFetch',     (options) => guardFetch(gate, handler, options)],
  ['guardNode',      (options) => guardNode(gate, options)],
  ['authenticator',      (options) => authenticator(gate, options)],
  ['forwardAuth',    (options) => forwardAuth(gate, 'nginx', options)],
  ['hubKeys',        (options) => hubKeys(options)],
  ['hubRevocations', (options) => hubRevocations(options)],
  ['httpHubLink',    (options) => httpHubLink(options)],
])('%s refuses an option that it does not take', (name, make) => {
  const start = () => make({ orgins: ['*'] } as never)
  expect(start).toThrow(CannotStart)
  expect(start).toThrow(`orgins is no option of ${name}.`)
})

test('startGateway refuses a setting that it does not take', async () => {
  await expect(startGateway({ hubUrl: 'https://hub.example' } as never)).rejects.toThrow(
    'hubUrl is no option of startGateway. Did you mean hub?',
  )
})

test('fastifyGate refuses an option that it does not take, and takes those of fastify', async () => {
  const options = { gate, prefix: '/r', orgins: ['*'] } as never
  const sentence = 'orgins is no option of fastifyGate. Did you mean origins?'
  await expect(fastifyGate({} as never, options)).rejects.toThrow(sentence)
})
