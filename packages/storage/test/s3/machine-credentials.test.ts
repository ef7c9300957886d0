/** The credentials of the machine are found in the usual places, and replaced before they end. */

import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { selfSigned } from '@latchkey/testing/tls/certificates'
import { openTlsFront } from '@latchkey/testing/tls/tls-front'
import { expect, onTestFinished, test } from 'vitest'
import type { S3Place } from '../../src/objects/object-store.ts'
import {
  errorDocument,
  failureOf,
  openClient,
  type ScriptedStore,
  type SeenRequest,
  scriptedStore,
} from './scripted-store.ts'

/** An empty home, so that the files of whoever runs the tests are not read. */
function newHome() {
  const HOME = mkdtempSync(join(tmpdir(), 'latchkey-home-'))
  onTestFinished(() => rmSync(HOME, { recursive: true, force: true }))
  const write = (name: string, text: string) => {
    writeFileSync(join(HOME, name), text)
    return join(HOME, name)
  }
  return { HOME, write }
}

const keyOf = ({ headers }: SeenRequest) =>
  /Credential=([^/]+)\//.exec(headers.authorization ?? '')?.[1]

async function openStore() {
  const store = await scriptedStore((response) => void response.writeHead(404).end())
  const keys = () => store.requests.map(keyOf)
  return { store, keys }
}

function ofMachine({ place }: ScriptedStore, awsVariables: Record<string, string>): S3Place {
  return { ...place, credentials: undefined, awsVariables }
}

const instancePath = '/latest/meta-data/iam/security-credentials/'

/** As the metadata service of an instance: only with its token. */
async function openInstance(lifeMs: number, now: () => number) {
  let isBroken = false
  const service = await scriptedStore((response, { method, url, headers }, number) => {
    if (isBroken) return void response.writeHead(500).end()
    if (method === 'PUT' && url === '/latest/api/token') return void response.end('the-token')
    if (headers['x-aws-ec2-metadata-token'] !== 'the-token') {
      return void response.writeHead(401).end()
    }
    if (url === instancePath) return void response.end('the-role\n')
    const document = {
      ...{ Code: 'Success', AccessKeyId: `KEY${number}`, SecretAccessKey: 'canary' },
      ...{ Token: 'canary-token', Expiration: new Date(now() + lifeMs).toISOString() },
    }
    response.end(JSON.stringify(document))
  })
  const paths = () => service.requests.map(({ method, url }) => `${method} ${url}`)
  return { url: service.url, paths, break: () => (isBroken = true) }
}

test('the role of an instance is asked for by a token, once for many requests', async () => {
  const { store, keys } = await openStore()
  const { HOME } = newHome()
  const instance = await openInstance(3_600_000, () => Date.now())
  const { client } = openClient(
    ofMachine(store, { HOME, AWS_EC2_METADATA_SERVICE_ENDPOINT: instance.url }),
  )
  await Promise.all(['a', 'b', 'c'].map((key) => client.readSmall(key)))
  expect(instance.paths()).toEqual([
    'PUT /latest/api/token',
    `GET ${instancePath}`,
    `GET ${instancePath}the-role`,
  ])
  expect(keys()).toEqual(['KEY2', 'KEY2', 'KEY2'])
  expect(store.requests[0]?.headers['x-amz-security-token']).toBe('canary-token')
})

test('credentials are replaced before their end, and used until then if no others come', async () => {
  const { store, keys } = await openStore()
  const { HOME } = newHome()
  let now = () => Date.now()
  const instance = await openInstance(3_600_000, () => now())
  const { client, time } = openClient(
    ofMachine(store, { HOME, AWS_EC2_METADATA_SERVICE_ENDPOINT: instance.url }),
  )
  now = () => time.wallMs
  const askAfter = async (minutes: number) => {
    time.wallMs += minutes * 60_000
    await client.readSmall('a')
  }
  await askAfter(0)
  await askAfter(54)
  await askAfter(2)
  expect(keys()).toEqual(['KEY2', 'KEY2', 'KEY5'])
  instance.break()
  await askAfter(59)
  expect(keys()).toEqual(['KEY2', 'KEY2', 'KEY5', 'KEY5'])
  time.wallMs += 120_000
  const error = await failureOf(client.readSmall('a'))
  expect(error.message).toContain('no credentials for the store')
  expect(store.requests).toHaveLength(4)
})

test('expired credentials are replaced once, and the request is sent again', async () => {
  const { HOME, write } = newHome()
  const file = (key: string) =>
    write(
      'credentials',
      `[other]\naws_access_key_id = NO\n[default]\naws_access_key_id = ${key}\naws_secret_access_key=canary\n`,
    )
  const store = await scriptedStore((response, request) => {
    if (keyOf(request) === 'NEW') return void response.end('fine')
    file('NEW')
    response.writeHead(400).end(errorDocument('ExpiredToken'))
  })
  const place = ofMachine(store, { HOME, AWS_SHARED_CREDENTIALS_FILE: file('OLD') })
  const { client, waits } = openClient(place)
  expect((await client.readSmall('a'))?.bytes.toString()).toBe('fine')
  expect([store.requests.map(keyOf), waits]).toEqual([['OLD', 'NEW'], []])
})

test('expired credentials that stay the same are reported', async () => {
  const { HOME, write } = newHome()
  const keys = '[default]\naws_access_key_id = OLD\naws_secret_access_key=canary\n'
  const store = await scriptedStore((response) => {
    response.writeHead(400).end(errorDocument('ExpiredToken'))
  })
  const place = ofMachine(store, { HOME, AWS_SHARED_CREDENTIALS_FILE: write('keys', keys) })
  const error = await failureOf(openClient(place).client.readSmall('a'))
  expect(error.message).toContain('credentials have expired')
  expect(store.requests).toHaveLength(1)
})

test('the profile that is named counts, in either of the two files', async () => {
  const { store, keys } = await openStore()
  const { HOME, write } = newHome()
  const section = (name: string, key: string) =>
    `# comment\r\n[${name}]\r\naws_access_key_id = ${key}\r\naws_secret_access_key = canary\r\n`
  const variables = {
    HOME,
    AWS_SHARED_CREDENTIALS_FILE: write('credentials', section('default', 'A') + section('p', 'B')),
    AWS_CONFIG_FILE: write('config', section('profile q', 'C')),
  }
  for (const AWS_PROFILE of ['p', 'q', 'default']) {
    await openClient(ofMachine(store, { ...variables, AWS_PROFILE })).client.readSmall('a')
  }
  expect(keys()).toEqual(['B', 'C', 'A'])
  const { client } = openClient(ofMachine(store, { ...variables, AWS_PROFILE: 'absent' }))
  const error = await failureOf(client.readSmall('a'))
  expect(error.message).toContain('the profile "absent" of the shared files has no')
  expect(error).toMatchObject({ isLasting: true })
})

test('a web identity is exchanged for credentials', async () => {
  const { store, keys } = await openStore()
  const { HOME, write } = newHome()
  const service = await scriptedStore((response) => {
    response.end(`<AssumeRoleWithWebIdentityResponse><AssumeRoleWithWebIdentityResult><Credentials>
      <AccessKeyId>WEB</AccessKeyId><SecretAccessKey>canary</SecretAccessKey><SessionToken>canary</SessionToken>
      <Expiration>2099-01-01T00:00:00Z</Expiration></Credentials></AssumeRoleWithWebIdentityResult></AssumeRoleWithWebIdentityResponse>`)
  })
  const variables = {
    ...{ HOME, AWS_ROLE_ARN: 'arn:aws:iam::1:role/r', AWS_ENDPOINT_URL_STS: service.url },
    AWS_WEB_IDENTITY_TOKEN_FILE: write('token', 'canary.jwt\n'),
  }
  await openClient(ofMachine(store, variables)).client.readSmall('a')
  expect(keys()).toEqual(['WEB'])
  const form = Object.fromEntries(new URLSearchParams(service.requests[0]?.body))
  expect(form).toMatchObject({
    ...{ Action: 'AssumeRoleWithWebIdentity', RoleArn: 'arn:aws:iam::1:role/r' },
    WebIdentityToken: 'canary.jwt',
  })
})

test('the service of a container is asked with its token, and only nearby or over TLS', async () => {
  const { store, keys } = await openStore()
  const { HOME, write } = newHome()
  const service = await scriptedStore((response, { headers }) => {
    if (headers.authorization !== 'canary-token') return void response.writeHead(403).end()
    const document = {
      ...{ AccessKeyId: 'POD', SecretAccessKey: 'canary', Token: 'canary' },
      Expiration: '2099-01-01T00:00:00Z',
    }
    response.end(JSON.stringify(document))
  })
  const variables = {
    ...{ HOME, AWS_CONTAINER_CREDENTIALS_FULL_URI: `${service.url}/v1/credentials` },
    AWS_CONTAINER_AUTHORIZATION_TOKEN_FILE: write('token', 'canary-token\n'),
  }
  await openClient(ofMachine(store, variables)).client.readSmall('a')
  const { AWS_CONTAINER_AUTHORIZATION_TOKEN_FILE: _, ...withoutFile } = variables
  const own = { ...ofMachine(store, withoutFile), containerToken: 'canary-token' }
  await openClient(own).client.readSmall('a')
  expect(keys()).toEqual(['POD', 'POD'])
  const AWS_CONTAINER_CREDENTIALS_FULL_URI = 'http://198.51.100.7/credentials'
  const far = ofMachine(store, { ...variables, AWS_CONTAINER_CREDENTIALS_FULL_URI })
  expect((await failureOf(openClient(far).client.readSmall('a'))).message).toContain(
    'must be https',
  )
})

test('without any credentials, the error says where they were looked for', async () => {
  const { store } = await openStore()
  const place = ofMachine(store, { HOME: newHome().HOME, AWS_EC2_METADATA_DISABLED: 'true' })
  const error = await failureOf(openClient(place).client.readSmall('a'))
  expect(error.message).toBe(
    'no credentials for the store: no credentials were given, and no shared file has any',
  )
  expect(store.requests).toEqual([])
})

test('a store with a certificate of its own is trusted if the place names it', async () => {
  const store = await scriptedStore((response) => void response.writeHead(404).end())
  const certificate = selfSigned({ names: ['localhost'] })
  const front = await openTlsFront(certificate, store.url)
  onTestFinished(() => front.close())
  const place = { ...store.place, endpoint: front.url }
  const stranger = openClient(place)
  const error = await failureOf(stranger.client.readSmall('a'))
  expect(error.message).toContain('self-signed; name it')
  expect([stranger.waits, store.requests]).toEqual([[], []])
  const { client } = openClient({ ...place, caCertificates: [certificate.cert] })
  expect(await client.readSmall('a')).toBeUndefined()
})

test('a bucket may be a part of the host name', async () => {
  const store = await scriptedStore((response) => void response.writeHead(404).end())
  const endpoint = store.url.replace('127.0.0.1', 'localhost')
  const { client } = openClient({ ...store.place, endpoint, isPathStyle: false })
  const url = (await client.signedRanges({ seconds: 60 }))('a', { start: 0, end: 1 })
  const { host } = new URL(endpoint)
  expect(url).toMatch(`http://bucket.${host}/hub/a?X-Amz-Algorithm=AWS4-HMAC-SHA256&`)
})
