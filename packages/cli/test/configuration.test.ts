import { chmodSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { defaultShardCaps as shardCaps } from '@latchkey/storage/bounds'
import { describe, expect, it } from 'vitest'
import { hubSettings, warningsAbout } from '../src/configuration/hub-settings.ts'
import { type Flags, readConfiguration } from '../src/configuration/read-configuration.ts'
import { storageSettings, warningsWithoutStorage } from '../src/configuration/storage-settings.ts'
import { lineOf } from './line-of.ts'
import { temporaryDirectory } from './run-latchkey.ts'

const masterKey = Buffer.alloc(32, 7).toString('base64')

function settingsFrom(flags: Flags, environment: Record<string, string> = {}) {
  return hubSettings(readConfiguration(flags, environment))
}

function file(content: unknown, mode = 0o600): string {
  const path = join(temporaryDirectory(), 'hub.json')
  writeFileSync(path, typeof content === 'string' ? content : JSON.stringify(content))
  chmodSync(path, mode)
  return path
}

describe('precedence', () => {
  it('takes the default where nobody decides', () => {
    expect(settingsFrom({})).toMatchObject({
      host: '127.0.0.1',
      port: 8080,
      publicUrl: 'http://127.0.0.1:8080',
      casUrl: 'http://127.0.0.1:8081/r/{repo}/{ref}',
      data: './latchkey-data',
      database: 'sqlite:latchkey.db',
      hubTokenPrefix: 'lk_',
      token: { lifetimeSeconds: 900, algorithm: 'ES256' },
      limits: { requestsPerMinute: 6000, failuresPerMinute: 300, connections: 10_000 },
      cors: { origins: [], allowAnonymousAnyOrigin: false },
      operations: { port: undefined, host: '127.0.0.1' },
      log: { level: 'info' },
      stopDeadlineSeconds: 10,
      masterKey: undefined,
    })
  })

  it('prefers the file to the default, the environment to the file and the flag to both', () => {
    const config = file({ port: 1001, host: 'localhost', token: { lifetimeSeconds: 300 } })
    const environment = { LATCHKEY_PORT: '1002', LATCHKEY_HOST: '::1' }
    expect(settingsFrom({ config, port: '1003' }, environment)).toMatchObject({
      port: 1003,
      host: '::1',
      publicUrl: 'http://[::1]:1003',
      token: { lifetimeSeconds: 300 },
    })
  })

  it('lets a flag turn off what the environment or the file turned on', () => {
    const config = file({ anonymousPublicRead: true })
    const environment = { LATCHKEY_HIDE_PRIVATE_REPOSITORIES: '1' }
    const flags = { config, anonymousPublicRead: false, hidePrivateRepositories: false }
    expect(settingsFrom(flags, environment)).toMatchObject({
      anonymousPublicRead: false,
      hidePrivateRepositories: false,
    })
  })

  it('reads lists from flags, environment and file alike', () => {
    const origins = ['https://a.example', 'http://localhost:3000']
    const text = origins.join(', ')
    expect(settingsFrom({ corsOrigins: text }).cors.origins).toEqual(origins)
    expect(settingsFrom({}, { LATCHKEY_CORS_ORIGINS: text }).cors.origins).toEqual(origins)
    expect(settingsFrom({ config: file({ cors: { origins } }) }).cors.origins).toEqual(origins)
  })

  it('reads every number that it says is allowed', () => {
    const most = Number.MAX_SAFE_INTEGER
    const read = (text: string) => readConfiguration({ storageReservedBytes: text }, {}).values
    expect(read(`${most}`)['storage.reservedBytes']).toBe(most)
    expect(() => read(`${most + 1}`)).toThrow(`a whole number from 0 to ${most}`)
  })

  it('finds the file by the environment too', () => {
    expect(settingsFrom({}, { LATCHKEY_CONFIG: file({ port: 1001 }) }).port).toBe(1001)
  })

  it('counts an empty variable as not set', () => {
    expect(settingsFrom({}, { LATCHKEY_PORT: '' }).port).toBe(8080)
  })

  it('ignores the variables that Kubernetes makes for a service', () => {
    const environment = {
      LATCHKEY_PORT: 'tcp://10.0.0.1:80',
      LATCHKEY_SERVICE_HOST: '10.0.0.1',
      LATCHKEY_HUB_PORT_80_TCP_ADDR: '10.0.0.1',
    }
    expect(settingsFrom({}, environment).port).toBe(8080)
  })

  it('gives the demo a directory of its own and quiet logs', () => {
    expect(settingsFrom({ demo: true })).toMatchObject({
      data: './latchkey-demo',
      log: { level: 'warn' },
    })
  })
})

describe('values that are not allowed', () => {
  const url = 'an http or https URL in its normal form'
  const mistakes: readonly [Flags, string][] = [
    [{ port: '65536' }, '--port: "65536" is not allowed; give a whole number from 0 to 65535'],
    [{ port: '8o' }, '--port: "8o" is not allowed; give a whole number from 0 to 65535'],
    [{ port: '' }, '--port: "" is not allowed; give a whole number from 0 to 65535'],
    [{ host: 'a b' }, '--host: "a b" is not allowed; give an IP address or a host name'],
    [{ tokenLifetimeSeconds: '119' }, '--token-lifetime-seconds: "119" is not allowed'],
    [{ tokenLifetimeSeconds: '86401' }, '--token-lifetime-seconds: "86401" is not allowed'],
    [
      { tokenAlgorithm: 'none' },
      '--token-algorithm: "none" is not allowed; give one of ES256, EdDSA',
    ],
    [{ hubTokenPrefix: 'LK_' }, '--hub-token-prefix: "LK_" is not allowed'],
    [
      { database: 'mysql://db/x' },
      '--database: "mysql://db/x" is not allowed; give sqlite:FILE or',
    ],
    [{ publicUrl: 'hub.example' }, url],
    [{ publicUrl: 'https://hub.example/' }, url],
    [{ publicUrl: 'https://hub.example?x' }, url],
    [{ publicUrl: 'https://hub.example#x' }, url],
    [{ publicUrl: 'https://u:p@hub.example' }, url],
    [{ publicUrl: 'https://HUB.example' }, url],
    [{ publicUrl: 'https://hub.example:443' }, url],
    [{ publicUrl: 'ftp://hub.example' }, url],
    [{ casUrl: 'https://cas.example/{repo}/' }, url],
    [{ casUrl: 'https://cas.example/{repo}/{repo}' }, 'each once'],
    [{ casUrl: 'https://cas.example/{user}' }, 'each once'],
    [{ casUrl: 'https://{repo}.cas.example/x' }, 'its path may hold'],
    [{ casUrl: 'https://cas.example/x?y={ref}' }, url],
    [{ corsOrigins: 'https://a.example/path' }, '--cors-origins: "https://a.example/path" is'],
    [{ corsOrigins: 'null' }, 'is not allowed; give * or origins'],
    [{ trustedProxies: '10.0.0.0/33' }, '--trusted-proxies: "10.0.0.0/33" is not allowed'],
    [{ allowedHosts: 'http://hub.internal' }, 'is not allowed; give * or host names such as'],
    [{ allowedHosts: 'hub.internal:8080' }, '--allowed-hosts: "hub.internal:8080" is not allowed'],
    [{ logLevel: 'loud' }, 'give one of debug, info, warn, error, silent'],
    [{ limitsConnections: '0' }, '--limits-connections: "0" is not allowed'],
  ]

  it.each(mistakes)(
    '%j is one line that names option, value and what is allowed',
    (flags, line) => {
      const told = lineOf(() => settingsFrom(flags))
      expect(told).toContain(line)
      expect(told).not.toContain('\n')
      expect(told).not.toContain('u:')
    },
  )

  it('are named as they were given', () => {
    expect(lineOf(() => settingsFrom({}, { LATCHKEY_PORT: 'x' }))).toMatch(/^LATCHKEY_PORT: "x"/)
    const config = file({ cors: { origins: 'https://a.example' } })
    expect(lineOf(() => settingsFrom({ config }))).toBe(
      `cors.origins in ${config}: "https://a.example" is not allowed; give * or origins such as https://app.example, separated by commas`,
    )
    expect(lineOf(() => settingsFrom({ config: file({ port: '8080' }) }))).toMatch(
      /^port in .*"8080"/,
    )
  })

  // conformance: Limits / casUrl has at most 64000 characters; the hub starts with at most 2048
  it('include a casUrl of more than 2048 characters', () => {
    const casUrl = `https://cas.example/${'x'.repeat(2028)}`
    expect(settingsFrom({ casUrl }).casUrl).toHaveLength(2048)
    expect(lineOf(() => settingsFrom({ casUrl: `${casUrl}x` }))).toContain(
      'at most 2048 characters',
    )
  })

  it('show no control characters and are cut short', () => {
    const told = lineOf(() => settingsFrom({ host: `\u001b[2J\u202e${'x'.repeat(500)}` }))
    expect(told).toContain('\\x1b[2J\\u202e')
    expect(told.length).toBeLessThan(200)
  })
})

describe('names that do not exist', () => {
  it('in the file are a mistake, with the key that was probably meant', () => {
    const config = file({ cors: { origin: [] } })
    expect(lineOf(() => settingsFrom({ config }))).toBe(
      `cors.origin in ${config} is not an option. Did you mean cors.origins?`,
    )
    expect(lineOf(() => settingsFrom({ config: file({ prot: 1 }) }))).toContain(
      'Did you mean port?',
    )
    expect(lineOf(() => settingsFrom({ config: file('{"__proto__":1}') }))).toContain(
      'is no member of anything',
    )
  })

  it('in the environment are a mistake, with the variable that was probably meant', () => {
    expect(lineOf(() => settingsFrom({}, { LATCHKEY_PROT: '1' }))).toBe(
      'LATCHKEY_PROT is not an option of latchkey. Did you mean LATCHKEY_PORT?',
    )
  })

  it.each(['[]', '"port"', 'null', '1'])('a file with %j is no configuration', (text) => {
    const config = file(text)
    expect(lineOf(() => settingsFrom({ config }))).toBe(
      `the configuration file "${config}" is not a JSON object`,
    )
  })

  it.each(['', '{', 'port: 1'])(
    'a file with %j is refused with the place of the mistake',
    (text) => {
      const config = file(text)
      const told = lineOf(() => settingsFrom({ config }))
      expect(told).toContain(
        `the configuration file "${config}" is not valid. This is not JSON: line 1, `,
      )
    },
  )

  it.each([
    ['port', '{"port":1,"port":2}'],
    ['log.level', '{"log":{"level":"info","level":"debug"}}'],
  ])('given twice in a file are a mistake: %s', (key, text) => {
    const told = lineOf(() => settingsFrom({ config: file(text) }))
    expect(told).toContain(`${key} is given twice: keep one`)
  })

  it('that cannot be read are told without the text around the mistake', () => {
    const told = lineOf(() =>
      settingsFrom({ config: file(`{"masterKey":"${masterKey}" "port":1}`) }),
    )
    expect(told).toContain('expected a comma or }')
    expect(told).not.toContain(masterKey)
  })
})

describe('secrets', () => {
  // conformance: Attacks / 30. An attacker reads a secret in files, environment or arguments
  it('come from the environment, and are not left there', () => {
    const environment = { LATCHKEY_MASTER_KEY: masterKey }
    expect(settingsFrom({}, environment).masterKey?.reveal()).toBe(masterKey)
    expect(environment).toEqual({})
  })

  it('come from a file that the environment names', () => {
    const environment = { LATCHKEY_MASTER_KEY_FILE: file(`${masterKey}\n`) }
    expect(settingsFrom({}, environment).masterKey?.reveal()).toBe(masterKey)
    expect(environment).toEqual({})
  })

  it.each([
    ['444', 1],
    ['644', 1],
    ['440', 0],
    ['400', 0],
  ])('in a file of mode %s that the environment names come with %i warnings', (mode, count) => {
    const environment = {
      LATCHKEY_MASTER_KEY_FILE: file(masterKey, Number.parseInt(mode, 8)),
      LATCHKEY_DATABASE_FILE: file('postgres://ada@db.example/hub', 0o600),
    }
    const { values, warnings } = readConfiguration({}, environment)
    expect(values.masterKey?.reveal()).toBe(masterKey)
    expect(warnings).toHaveLength(count)
    for (const line of warnings) {
      expect(line).toMatch(/^LATCHKEY_MASTER_KEY_FILE: any user who gets to the file/)
      expect(line).toContain(`mode ${mode}`)
    }
  })

  it.each(['LATCHKEY_MASTER_KEY_FILE', 'LATCHKEY_DATABASE_FILE'])(
    'in the file of %s that any user can write are refused',
    (name) => {
      const told = lineOf(() => settingsFrom({}, { [name]: file(masterKey, 0o666) }))
      expect(told).toContain(`${name}: any user can write the file`)
      expect(told).not.toContain(masterKey)
    },
  )

  it('come from a configuration file that only its owner can read', () => {
    const config = file({ masterKey })
    expect(settingsFrom({ config }).masterKey?.reveal()).toBe(masterKey)
  })

  it.each(['640', '604', '660'])('in a file of mode %s are refused', (mode) => {
    const config = file({ masterKey }, Number.parseInt(mode, 8))
    const told = lineOf(() => settingsFrom({ config }))
    expect(told).toContain('is a secret, but others can read the file')
    expect(told).not.toContain(masterKey)
  })

  // conformance: Attacks / 30. An attacker reads a secret in files, environment or arguments
  it('have no flag', () => {
    expect(settingsFrom({ masterKey }).masterKey).toBeUndefined()
  })

  it.each(['', 'short', masterKey.slice(0, -1), 'QUJD'.repeat(12)])(
    '%j is no key, and is not repeated',
    (key) => {
      const told = lineOf(() => settingsFrom({}, { LATCHKEY_MASTER_KEY: key }))
      expect(told).toBe(
        'LATCHKEY_MASTER_KEY: this value is not allowed; give 32 bytes in base64 (openssl rand -base64 32)',
      )
    },
  )

  it('given twice are a mistake', () => {
    const environment = { LATCHKEY_MASTER_KEY: masterKey, LATCHKEY_MASTER_KEY_FILE: 'x' }
    expect(lineOf(() => settingsFrom({}, environment))).toContain('are both set')
  })

  it('are not shown when the file around them is broken', () => {
    const config = file(`{"masterKey":"${masterKey}"`)
    expect(lineOf(() => settingsFrom({ config }))).not.toContain(masterKey)
  })
})

describe('rules across options', () => {
  const urls = { publicUrl: 'https://hub.example', casUrl: 'https://cas.example' }

  it.each(['0.0.0.0', '::', '192.168.1.1', 'hub.example'])(
    'an address that others can reach (%s) needs both URLs',
    (host) => {
      for (const missing of ['publicUrl', 'casUrl']) {
        const { [missing]: _, ...rest } = { ...urls } as Record<string, string>
        expect(lineOf(() => settingsFrom({ host, ...rest }))).toContain(
          '--public-url and --cas-url',
        )
      }
      expect(settingsFrom({ host, ...urls })).toMatchObject(urls)
    },
  )

  it('the demo stays on a loopback address', () => {
    const flags = { demo: true, host: '0.0.0.0', ...urls }
    expect(lineOf(() => settingsFrom(flags))).toMatch(
      /^--host: the demo listens only on a loopback/,
    )
    expect(lineOf(() => settingsFrom({ demo: true, operationsHost: '0.0.0.0' }))).toMatch(
      /^--operations-host: the demo/,
    )
  })

  it('hub, storage and operations listen on ports of their own', () => {
    const shared: readonly [Flags, string][] = [
      [{ storagePort: '8080' }, '--storage-port: the hub and the storage cannot'],
      [{ port: '8081' }, '--port: the hub and the storage cannot both listen on port 8081'],
      [{ operationsPort: '8080' }, '--operations-port: the hub and operations cannot'],
      [{ operationsPort: '8081' }, '--operations-port: the storage and operations cannot'],
      [{ operationsPort: '8080', host: '0.0.0.0', ...urls }, '--operations-port: the hub and'],
    ]
    for (const [flags, line] of shared) expect(lineOf(() => settingsFrom(flags))).toContain(line)
  })

  it('one port may serve two addresses, and a storage that is turned off takes none', () => {
    const apart = { operationsPort: '8080', operationsHost: '127.0.0.2' }
    expect(settingsFrom(apart).operations.port).toBe(8080)
    expect(settingsFrom({ port: '8081', storage: false }).port).toBe(8081)
    expect(settingsFrom({ port: '0', storagePort: '0', operationsPort: '0' }).port).toBe(0)
  })

  it('what is decided for a storage that is turned off is a warning, under its own name', () => {
    const warned = (flags: Flags, environment: Record<string, string> = {}) =>
      warningsWithoutStorage(readConfiguration({ ...flags, storage: false }, environment))
    const unused = 'is not used: the storage is turned off'
    expect(warned({ storageQuotaBytes: '1' }, { LATCHKEY_STORAGE_ISOLATION: 'ref' })).toEqual([
      `LATCHKEY_STORAGE_ISOLATION ${unused}`,
      `--storage-quota-bytes ${unused}`,
    ])
    // Without casUrl it is the port of the default one.
    expect(warned({ storagePort: '9000' })).toEqual([])
    expect(warned({ storagePort: '9000', ...urls })).toEqual([`--storage-port ${unused}`])
  })

  it('the storage is bounded as it bounds itself, unless the operator says otherwise', () => {
    const boundsFrom = (flags: Flags) => {
      const configuration = readConfiguration(flags, {})
      return storageSettings(configuration, hubSettings(configuration))
    }
    expect(boundsFrom({})).toMatchObject({ shardCaps })
    const files = { shardCaps: { ...shardCaps, files: 9 } }
    expect(boundsFrom({ storageShardFiles: '9' })).toMatchObject(files)
  })

  // conformance: Attacks / 33. An attacker uses anonymous or browser access to read private data
  it('any origin together with anonymous read must be said twice', () => {
    const flags = { corsOrigins: '*', anonymousPublicRead: true }
    expect(lineOf(() => settingsFrom(flags))).toContain('--cors-allow-anonymous-any-origin')
    expect(settingsFrom({ ...flags, corsAllowAnonymousAnyOrigin: true }).cors.origins).toEqual([
      '*',
    ])
  })

  it('plain http to another machine is a warning, not a mistake', () => {
    const plain = { publicUrl: 'http://hub.example', casUrl: 'http://cas.example/{repo}/{ref}' }
    expect(warningsAbout(settingsFrom(plain))).toHaveLength(2)
    const withForge = { ...urls, forgeUrl: 'http://forge.example:8083' }
    expect(warningsAbout(settingsFrom(withForge))).toEqual([expect.stringContaining('forge.url')])
    expect(warningsAbout(settingsFrom(urls))).toEqual([])
    expect(warningsAbout(settingsFrom({}))).toEqual([])
  })
})
