/** Every library refuses options that it does not know: an option that is ignored leaves a protection off. */

import { createAdminClient } from '@latchkey/admin-client'
import { createStorageClient } from '@latchkey/client'
import { createTokenClient } from '@latchkey/client/token-client'
import { createGate, guardFetch } from '@latchkey/gate'
import { authenticator } from '@latchkey/gate/authenticate'
import { fastifyGate } from '@latchkey/gate/fastify'
import { honoGate } from '@latchkey/gate/hono'
import { hubKeys } from '@latchkey/gate/hub-keys'
import { httpHubLink } from '@latchkey/gate/hub-link'
import { guardNode } from '@latchkey/gate/node'
import { startGateway } from '@latchkey/gateway'
import { forwardAuth } from '@latchkey/gateway/forward-auth'
import { startHub } from '@latchkey/hub'
import { scopeRules } from '@latchkey/protocol'
import { startStorage } from '@latchkey/storage'
import { verifyHead, verifyToken } from '@latchkey/token'
import { startUpload } from '@latchkey/xet'
import { downloadFile } from '@latchkey/xet/download'
import { createFileClient, hashFile } from '@latchkey/xet/files'
import { describe, expect, test } from 'vitest'
import { casUrl, issuer, keys } from '../../src/gate/storage-tokens.ts'

/** Options as a program gives them whose types nobody checks. */
type Entry = (options: never) => unknown

const gate = createGate({ keys, issuer, casUrl })
const files = createFileClient({
  hubUrl: 'https://hub.example',
  hubToken: 'lk_x',
  repo: 'models/acme/bert',
})

// biome-ignore format: a table is read by its columns
const entries: readonly (readonly [string, Entry, string, string])[] = [
  ['a storage client',             (options) => createStorageClient(options),                    'hubUlr',                  'hubUrl'],
  ['a storage client',             (options) => createTokenClient(options),                      'revison',                 'revision'],
  ['a storage client',             (options) => createFileClient(options),                       'hubTokn',                 'hubToken'],
  ['an admin client',              (options) => createAdminClient(options),                      'hubTokn',                 'hubToken'],
  ['upload',                       (options) => files.upload(new Blob(), options),               'onProgres',               'onProgress'],
  ['download',                     (options) => files.download('', options),                     'form',                    'from'],
  ['hashFile',                     (options) => hashFile(new Blob(), options),                   'signl',                   'signal'],
  ['startUpload',                  (options) => startUpload({} as never, options),               'onAcknowledgd',           'onAcknowledged'],
  ['downloadFile',                 (options) => downloadFile({} as never, '' as never, options), 'onPlacd',                 'onPlaced'],
  ['verifyToken',                  (options) => verifyToken('', options),                        'leeway',                  'leewaySeconds'],
  ['verifyHead',                   (options) => verifyHead('', options),                         'isuer',                   'issuer'],
  ['rules',                        (options) => scopeRules(options),                             'everyUnsafeMethodWrite',  'everyUnsafeMethodWrites'],
  ['a rule',                       (rule) => scopeRules({ write: [rule] }),                      'method',                  'methods'],
  ['a gate',                       (options) => createGate(options),                             'isRevokd',              'isRevoked'],
  ['guardFetch',                   (options) => guardFetch(gate, () => new Response(), options), 'orgins',                  'origins'],
  ['guardNode',                    (options) => guardNode(gate, options),                        'orgins',                  'origins'],
  ['fastifyGate',                  (options) => fastifyGate({} as never, options),               'orgins',                  'origins'],
  ['honoGate',                     (options) => honoGate(gate, options),                         'adressOf',                'addressOf'],
  ['authenticator',                    (options) => authenticator(gate, options),                        'onFailur',                'onFailure'],
  ['forwardAuth',                  (options) => forwardAuth(gate, 'nginx', options),             'cacheSecond',             'cacheSeconds'],
  ['hubKeys',                      (options) => hubKeys(options),                                'fetchKey',                'fetchKeys'],
  ['httpHubLink',                  (options) => httpHubLink(options),                            'allowPlainHtp',           'allowPlainHttp'],
  ['startGateway',                 (options) => startGateway(options),                           'trustedProxy',            'trustedProxies'],
  ['surroundings of startGateway', (given) => startGateway({} as never, given),                  'clok',                    'clock'],
  ['startHub',                     (options) => startHub(options),                               'hidePrivateRepos',        'hidePrivateRepositories'],
  ['surroundings of startHub',     (given) => startHub({} as never, given),                      'forg',                    'forge'],
  ['startStorage',                 (options) => startStorage(options, {} as never),              'trustedProxy',            'trustedProxies'],
  ['surroundings of startStorage', (given) => startStorage({} as never, {} as never, given),     'openPol',                 'openPool'],
]

test.each(entries)('%s refuses an option that is mistyped (%#)', async (of, call, wrong, right) => {
  const options = { [wrong]: true } as never
  await expect(failureOf(call, options)).resolves.toContain(
    `${wrong} is no option of ${of}. Did you mean ${right}? Its options are `,
  )
})

// biome-ignore format: a table is read by its columns
const groups: readonly (readonly [string, Entry, Readonly<Record<string, readonly [string, string]>>])[] = [
  ['startGateway', startGateway, {
    revocations:    ['whenStal',          'whenStale'],
    work:           ['upstrem',           'upstream'],
    cors:           ['orgins',            'origins'],
    limits:         ['failurePerMinute',  'failuresPerMinute'],
    operations:     ['prot',              'port'],
    log:            ['levl',              'level'],
  }],
  ['startHub', startHub, {
    database:       ['hots',              'host'],
    directDatabase: ['passwrd',           'password'],
    token:          ['lifetimeSecond',    'lifetimeSeconds'],
    keys:           ['rotationDay',       'rotationDays'],
    compat:         ['hugingface',        'huggingface'],
    cors:           ['orgins',            'origins'],
    limits:         ['failurePerMinute',  'failuresPerMinute'],
    operations:     ['prot',              'port'],
    journal:        ['retentionDay',      'retentionDays'],
    revoke:         ['enable',            'enabled'],
    creation:       ['ownNamespace',      'ownNamespaces'],
    log:            ['levl',              'level'],
  }],
  ['startStorage', (settings) => startStorage(settings, {} as never), {
    quota:          ['byte',              'bytes'],
    shardCaps:      ['file',              'files'],
    revocations:    ['whenStal',          'whenStale'],
    timeouts:       ['totalSecond',       'totalSeconds'],
    cors:           ['orgins',            'origins'],
    limits:         ['failurePerMinute',  'failuresPerMinute'],
    operations:     ['prot',              'port'],
    log:            ['levl',              'level'],
  }],
]

describe.each(groups)('%s', (name, start, members) => {
  const rows = Object.entries(members).map(([group, [wrong, right]]) => [group, wrong, right])
  test.each(rows)('refuses %s with the option %s', async (group = '', wrong = '', right = '') => {
    await expect(failureOf(start, { [group]: { [wrong]: 1 } })).resolves.toContain(
      `${wrong} is no option of ${group} of ${name}. Did you mean ${right}? Its options are `,
    )
  })

  test.each(rows)('refuses %s that is no group', async (group = '') => {
    for (const value of [null, true, ['x']]) {
      await expect(failureOf(start, { [group]: value })).resolves.toMatch(
        new RegExp(
          `^${group} of ${name} must be (object|string), and is (null|a boolean|an array)`,
        ),
      )
    }
  })
})

test.each([
  [
    'a timeout of the gateway',
    startGateway,
    { work: { timeouts: { conectSeconds: 1 } } },
    'conectSeconds is no option of timeouts of work of startGateway. Did you mean connectSeconds?',
  ],
  [
    'a proxy that is not asked',
    startGateway,
    { work: { kind: 'forward-auth', upstream: 'x' } },
    'upstream is no option of work of startGateway. Its options are kind, proxy, cacheSeconds.',
  ],
  [
    'the encryption of a database',
    startHub,
    { database: { tls: { options: { rejectUnauthorised: true } } } },
    'rejectUnauthorised is no option of options of tls of database of startHub. Did you mean rejectUnauthorized?',
  ],
] as const)('%s is compared too', async (_, start, settings, sentence) => {
  await expect(failureOf(start, settings)).resolves.toContain(sentence)
})

async function failureOf(call: Entry, options: object): Promise<string> {
  try {
    await call(options as never)
  } catch (error) {
    return error instanceof Error ? error.message : String(error)
  }
  return 'nothing was refused'
}
