import { describe, expect, it } from 'vitest'
import { linkedStorage } from '../src/configuration/linked-storage-settings.ts'
import { attributeOf } from '../src/configuration/option.ts'
import { optionKeys, rowOf } from '../src/configuration/options.ts'
import { readConfiguration } from '../src/configuration/read-configuration.ts'

const environment = { LATCHKEY_STORAGE_CREDENTIAL: `lk_${'c'.repeat(49)}` }
const given = { hub: 'https://hub.example', casUrl: 'https://cas.example/r/{repo}/{ref}' }

function linked(
  flags: Readonly<Record<string, unknown>>,
  secrets: Readonly<Record<string, string>> = environment,
) {
  return linkedStorage(readConfiguration({ ...given, ...flags }, { ...secrets }))
}

describe('a storage alone is refused, with what to do, without', () => {
  it.each([
    ['a hub', { hub: undefined }, /^--hub URL is missing/],
    ['its address', { casUrl: undefined }, /^--cas-url URL is missing/],
    [
      'places in its address',
      { casUrl: 'https://cas.example' },
      /^--cas-url: the storage separates repositories and refs by \{repo\} and \{ref\}/,
    ],
    [
      'https to another machine',
      { hub: 'http://hub.example' },
      /^--hub: "http:\/\/hub\.example" is plain http/,
    ],
  ])('%s', (_, flags, says) => {
    expect(() => linked(flags)).toThrow(says)
  })

  it('a right credential, which is not repeated', () => {
    const wrong = 'lk_two words'
    expect(() => linked({}, {})).toThrow(
      /^LATCHKEY_STORAGE_CREDENTIAL is missing: .*--kind storage/,
    )
    expect(() => linked({}, { LATCHKEY_STORAGE_CREDENTIAL: wrong })).toThrow(
      /^LATCHKEY_STORAGE_CREDENTIAL: this value is not allowed; give a hub token/,
    )
  })
})

/** Another value than the default for every option that a storage alone takes. */
const others: Readonly<Record<string, string | boolean>> = {
  host: '0.0.0.0',
  port: '9',
  casUrl: 'https://other.example/{repo}/{ref}',
  data: 'elsewhere',
  'cors.origins': 'https://app.example',
  allowedHosts: 'cas.internal',
  trustedProxies: '10.0.0.1',
  'limits.failuresPerMinute': '9',
  'limits.connections': '9',
  'operations.port': '9',
  'operations.host': '127.0.0.9',
  'log.level': 'warn',
  stopDeadlineSeconds: '9',
  storageDatabase: 'postgres://db.example/x',
  'storage.isolation': 'repository',
  'storage.quotaBytes': '9',
  'storage.quotaObjects': '9',
  'storage.reservedBytes': '1048576',
  'storage.shardFiles': '9',
  'storage.deletedKeepDays': '9',
  hub: 'https://other.example',
  allowPlainHttp: true,
  issuer: 'https://issuer.example',
  leewaySeconds: '9',
  'revocations.pollSeconds': '9',
  'revocations.whenStale': 'allow',
  'timeouts.idleSeconds': '9',
  'timeouts.totalSeconds': '9',
  'timeouts.minBytesPerSecond': '9',
}

/** It holds for the process, and is no setting of the storage. */
const isOfProcess = (key: string) => key === 'caCert'
/** Another file tests them. */
const isOfBucket = (key: string) => /^objects(?:\.|$)/.test(key)

describe('a storage alone', () => {
  it.each(
    optionKeys
      .filter(
        (key) => rowOf(key).takers.includes('storage') && !rowOf(key).secret && !isOfProcess(key),
      )
      .filter((key) => !isOfBucket(key)),
  )('is told by %s', (key) => {
    expect(others[key]).toBeDefined()
    expect(linked({ [attributeOf(key)]: others[key] })).not.toEqual(linked({}))
  })

  it('listens on this machine, with the tokens of its hub, in a directory of its own', () => {
    const { settings, hubUrl } = linked({})
    expect(settings).toMatchObject({
      ...{ host: '127.0.0.1', port: 8081, data: './latchkey-storage-data' },
      issuer: hubUrl,
      log: { level: 'info' },
    })
  })
})
