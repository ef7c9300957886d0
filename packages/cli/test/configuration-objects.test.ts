import { chmodSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { S3Place } from '@latchkey/storage'
import { selfSigned } from '@latchkey/testing/tls/certificates'
import { describe, expect, it } from 'vitest'
import { hubSettings } from '../src/configuration/hub-settings.ts'
import { linkedStorage } from '../src/configuration/linked-storage-settings.ts'
import { readConfiguration } from '../src/configuration/read-configuration.ts'
import { storageSettings, warningsAboutStorage } from '../src/configuration/storage-settings.ts'
import { storageProtocol } from '../src/serve/storage-messages.ts'
import { lineOf } from './line-of.ts'
import { temporaryDirectory } from './run-latchkey.ts'

type Texts = Readonly<Record<string, string | boolean>>

/** The settings of an embedded storage. */
function embedded(flags: Texts, environment: Record<string, string> = {}) {
  const configuration = readConfiguration(flags, environment)
  const settings = storageSettings(configuration, hubSettings(configuration))
  if (settings === undefined) throw new Error('there is no storage')
  return settings
}

function placeFrom(flags: Texts, environment: Record<string, string> = {}): S3Place {
  const { objects } = embedded(flags, environment)
  if (objects?.kind !== 's3') throw new Error('there is no bucket')
  return objects
}

const endpoint = 'https://s3.example:9000'
const shared = { storageDatabase: 'postgres://ada@db.example/cas' }
const masterKey = { LATCHKEY_STORAGE_MASTER_KEY: Buffer.alloc(32, 9).toString('base64') }
const keys = { AWS_ACCESS_KEY_ID: 'AKIA-EXAMPLE', AWS_SECRET_ACCESS_KEY: 'hush/hush+hush' }

describe('a bucket', () => {
  it('is named with its prefix, and each setting of its store has a default', () => {
    const place = placeFrom({ objects: 's3://my.bucket/a/b', objectsEndpoint: endpoint })
    expect(place).toEqual({
      ...{ kind: 's3', bucket: 'my.bucket', prefix: 'a/b/', endpoint, region: 'us-east-1' },
      ...{
        isPathStyle: true,
        encryption: undefined,
        awsVariables: {},
        caCertificates: undefined,
        publicEndpoint: undefined,
        scratch: 'latchkey-data/scratch',
      },
    })
    expect(placeFrom({ objects: 's3://plain' }, { AWS_REGION: 'eu-central-1' })).toMatchObject({
      ...{ prefix: '', region: 'eu-central-1', isPathStyle: false },
      endpoint: 'https://s3.eu-central-1.amazonaws.com',
    })
  })

  it('is read from the file too, and what is written there comes before the variables of AWS', () => {
    const config = join(temporaryDirectory(), 'hub.json')
    const content = {
      objects: 's3://b-1/p',
      'objects.region': 'eu-west-3',
      'objects.encryption': 'aws:kms:arn:aws:kms:eu-west-3:1:key/2',
      'objects.credentials': '[any]\naws_access_key_id = one\naws_secret_access_key=two',
    }
    writeFileSync(config, JSON.stringify(content))
    chmodSync(config, 0o600)
    expect(placeFrom({ config }, { ...keys, AWS_REGION: 'eu-central-1' })).toMatchObject({
      region: 'eu-west-3',
      encryption: { algorithm: 'aws:kms', kmsKeyId: 'arn:aws:kms:eu-west-3:1:key/2' },
      credentials: { accessKeyId: 'one', secretAccessKey: 'two' },
    })
    chmodSync(config, 0o640)
    expect(() => placeFrom({ config })).toThrow(/objects.credentials in \S+ is a secret/)
  })

  it.each([
    ['s3://ab', /^--objects: .* give s3:\/\/BUCKET or s3:\/\/BUCKET\/PREFIX: a bucket has 3 to 63/],
    ['s3://Upper', /^--objects: /],
    ['s3://10.0.0.1', /^--objects: /],
    ['s3://a..b', /^--objects: /],
    ['s3://bucket/', /^--objects: /],
    ['s3://bucket/a/../b', /^--objects: /],
    ['s3://bucket/a//b', /^--objects: /],
    ['s3://bucket/ä', /^--objects: /],
    ['https://bucket.s3.example', /^--objects: /],
  ])('is refused as %s', (objects, says) => {
    expect(lineOf(() => embedded({ objects, objectsEndpoint: endpoint }))).toMatch(says)
  })

  it.each<[string, Texts, RegExp]>([
    ['a region of Amazon', {}, /^--objects: Amazon S3 needs the region of the bucket/],
    [
      'https',
      { objectsEndpoint: 'http://s3.example' },
      /^--objects-endpoint: "http:\/\/s3\.example" is plain http, .*--allow-plain-http$/,
    ],
    ['an origin', { objectsEndpoint: `${endpoint}/path` }, /^--objects-endpoint: .*without a path/],
    [
      'a right encryption',
      { objectsEndpoint: endpoint, objectsEncryption: 'aes' },
      /^--objects-encryption: /,
    ],
    [
      'an address for direct downloads',
      { objectsEndpoint: endpoint, objectsDirectDownloads: true },
      /^--objects-direct-downloads: .*--objects-public-endpoint too$/,
    ],
    [
      'https for clients',
      { objectsEndpoint: endpoint, objectsPublicEndpoint: 'http://s3.example' },
      /^--objects-public-endpoint: .* is plain http/,
    ],
  ])('is refused without %s', (_, flags, says) => {
    expect(lineOf(() => embedded({ objects: 's3://bucket', ...flags }))).toMatch(says)
  })

  it('may be reached by plain http on this machine, or where that is allowed', () => {
    const objects = 's3://bucket'
    for (const flags of [
      { objectsEndpoint: 'http://127.0.0.1:9000' },
      { objectsEndpoint: 'http://s3.example', allowPlainHttp: true },
    ]) {
      expect(placeFrom({ objects, ...flags }).endpoint).toBe(flags.objectsEndpoint)
    }
  })

  it('has to be named where something is said about it', () => {
    expect(lineOf(() => embedded({ objectsEndpoint: endpoint }))).toBe(
      '--objects-endpoint: no bucket is named; pass --objects s3://BUCKET/PREFIX too',
    )
  })
})

describe('credentials for a bucket', () => {
  const flags = { objects: 's3://bucket', objectsEndpoint: endpoint }

  it('leave the environment, and no JSON has them', () => {
    const environment = { ...keys, AWS_SESSION_TOKEN: 'soon over'.replace(' ', '-') }
    const { values } = readConfiguration(flags, environment)
    expect(environment).toEqual({})
    expect(JSON.stringify(values)).not.toContain(keys.AWS_SECRET_ACCESS_KEY)
    expect(placeFrom(flags, { ...keys }).credentials).toEqual({
      ...{ accessKeyId: 'AKIA-EXAMPLE', secretAccessKey: 'hush/hush+hush' },
    })
  })

  it('stay where the content is in the data directory', () => {
    const environment = { ...keys }
    readConfiguration({}, environment)
    expect(environment).toEqual(keys)
  })

  it.each([
    ['half of them', { AWS_ACCESS_KEY_ID: 'one' }],
    ['a line break', { ...keys, AWS_SECRET_ACCESS_KEY: 'hush\nhush' }],
    ['another form', { LATCHKEY_OBJECTS_CREDENTIALS: 'aws_access_key_id hush' }],
    ['one of them twice', { LATCHKEY_OBJECTS_CREDENTIALS: 'aws_access_key_id=hush\n'.repeat(2) }],
  ])('are refused with %s, and not shown', (_, environment) => {
    const line = lineOf(() => placeFrom(flags, { ...environment }))
    expect(line).toMatch(/^(AWS_ACCESS_KEY_ID|LATCHKEY_OBJECTS_CREDENTIALS): /)
    expect(line).not.toContain('hush')
  })

  it('reach the process of the storage beside its settings', () => {
    const direct = { objectsPublicEndpoint: endpoint, objectsDirectDownloads: true }
    const grants = 'aws_access_key_id=three\naws_secret_access_key=hush-too'
    const settings = embedded(
      { ...flags, ...direct, ...shared, storageDeletedKeepDays: '9' },
      { ...keys, ...masterKey, LATCHKEY_OBJECTS_GRANT_CREDENTIALS: grants },
    )
    expect(settings.masterKey?.reveal()).toBe(masterKey.LATCHKEY_STORAGE_MASTER_KEY)
    expect(settings.directDownloads).toBe(true)
    expect(warningsAboutStorage(settings).join()).toContain(
      'up to 60 s after its token was revoked',
    )
    expect(warningsAboutStorage(embedded(flags)).join()).not.toContain('60 s')
    const { credential } = alone(flags)
    const order = { settings, hubUrl: 'http://127.0.0.1:1', allowPlainHttp: true, credential }
    const written = structuredClone(storageProtocol.writeOrder(order)) as { settings: object }
    for (const secret of ['hush', masterKey.LATCHKEY_STORAGE_MASTER_KEY])
      expect(JSON.stringify(written.settings)).not.toContain(secret)
    expect(storageProtocol.readOrder(written)).toEqual(order)
  })

  it('are found by the process of the storage where none are given', () => {
    const token = { AWS_CONTAINER_AUTHORIZATION_TOKEN: 'hush' }
    const environment = { HOME: '/home/ada', AWS_PROFILE: 'hub', PATH: '/bin', ...token }
    const settings = embedded(flags, environment)
    expect(settings.objects).toMatchObject({
      awsVariables: { HOME: '/home/ada', AWS_PROFILE: 'hub' },
      containerToken: 'hush',
    })
    expect(environment).toEqual({ HOME: '/home/ada', AWS_PROFILE: 'hub', PATH: '/bin' })
    const { credential } = alone(flags)
    const order = { settings, hubUrl: 'http://127.0.0.1:1', allowPlainHttp: true, credential }
    const written = structuredClone(storageProtocol.writeOrder(order)) as { settings: object }
    expect(JSON.stringify(written.settings)).not.toContain('hush')
    expect(storageProtocol.readOrder(written)).toEqual(order)
  })

  it('are sent to a store whose certificate --ca-cert names, from threads too', () => {
    const caCert = join(temporaryDirectory(), 'ca.pem')
    const { cert } = selfSigned({ names: ['s3.example'] })
    writeFileSync(caCert, cert)
    expect(placeFrom({ ...flags, caCert }).caCertificates).toEqual([cert.trim()])
  })
})

describe('the key of blob URLs', () => {
  const bucket = { objects: 's3://bucket', objectsEndpoint: endpoint }

  it('has to be given where storages share a catalogue and a bucket', () => {
    expect(lineOf(() => embedded({ ...bucket, ...shared }))).toMatch(
      /^LATCHKEY_STORAGE_MASTER_KEY is missing: .*openssl rand -base64 32/,
    )
    expect(embedded({ ...bucket, ...shared }, { ...masterKey }).masterKey).toBeDefined()
    for (const flags of [bucket, shared]) expect(embedded(flags).masterKey).toBeUndefined()
  })

  it('is given to nobody who keeps it in a file', () => {
    expect(lineOf(() => embedded(bucket, { ...masterKey }))).toMatch(
      /^LATCHKEY_STORAGE_MASTER_KEY: only a catalogue in PostgreSQL /,
    )
  })
})

describe('a storage alone', () => {
  it('has the bucket of an embedded one, with drafts in its own directory', () => {
    const flags = { objects: 's3://bucket/p', objectsEndpoint: endpoint }
    expect(alone({ ...flags, data: '/srv/cas' }).settings.objects).toEqual({
      ...placeFrom(flags),
      scratch: '/srv/cas/scratch',
    })
  })

  it('keeps the bytes of deleted content for a week in a bucket, and on a disk not at all', () => {
    const kept = (flags: Texts) => alone(flags).settings.deletedKeepDays
    const bucket = { objects: 's3://bucket', objectsEndpoint: endpoint }
    expect([kept({}), kept(bucket), kept({ ...bucket, storageDeletedKeepDays: '30' })]).toEqual([
      ...[0, 7, 30],
    ])
  })
})

function alone(flags: Texts) {
  const given = { hub: 'https://hub.example', casUrl: 'https://cas.example/r/{repo}/{ref}' }
  const environment = { LATCHKEY_STORAGE_CREDENTIAL: `lk_${'c'.repeat(49)}` }
  return linkedStorage(readConfiguration({ ...given, ...flags }, environment))
}
