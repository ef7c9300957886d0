import { readFromChild, readToChild } from '@latchkey/service/machine/child/messages'
import { describe, expect, it } from 'vitest'
import {
  forgeBeside,
  linkedForge,
  warningsAboutForge,
} from '../src/configuration/forge-settings.ts'
import { hubSettings } from '../src/configuration/hub-settings.ts'
import { type Flags, readConfiguration } from '../src/configuration/read-configuration.ts'
import { forgeProtocol } from '../src/serve/forge-messages.ts'

const secret = `lk_${'c'.repeat(49)}`
const credential = { LATCHKEY_FORGE_CREDENTIAL: secret }
const hub = 'https://hub.example'

function linked(flags: Flags, environment: Readonly<Record<string, string>> = credential) {
  return linkedForge(readConfiguration(flags, { ...environment }))
}

function beside(flags: Flags) {
  const configuration = readConfiguration(flags, {})
  const settings = hubSettings(configuration)
  return { settings, forge: forgeBeside(configuration, settings) }
}

describe('a forge alone', () => {
  it('has defaults for all but its hub and its credential', () => {
    const { settings } = linked({ hub })
    expect(settings).toMatchObject({ publicUrl: hub, port: 8083, data: './latchkey-forge-data' })
    expect(settings.hub.credential.reveal()).toBe(secret)
    expect(linked({ hub, publicUrl: 'https://git.example' }).settings.publicUrl).toBe(
      'https://git.example',
    )
  })

  it.each<[what: string, flags: Flags, environment: Record<string, string>, line: RegExp]>([
    ['its hub', {}, credential, /^--hub URL is missing/],
    ['its credential', { hub }, {}, /^LATCHKEY_FORGE_CREDENTIAL is missing: .*--kind forge/],
    ['https', { hub: 'http://hub.example' }, credential, /is plain http/],
  ])('is not started without %s', (_, flags, environment, line) => {
    expect(() => linked(flags, environment)).toThrow(line)
  })

  it('warns where no proxy is trusted, because each request comes from its hub', () => {
    expect(warningsAboutForge(linked({ hub }).settings)).toHaveLength(1)
    expect(warningsAboutForge(linked({ hub, trustedProxies: '10.0.0.5' }).settings)).toEqual([])
  })
})

describe('a hub', () => {
  it('runs a forge where it is told to, and in the demo, on this machine alone', () => {
    expect(beside({}).forge).toBeUndefined()
    expect(beside({ demo: true }).forge?.settings.host).toBe('127.0.0.1')
    const { settings, forge } = beside({ forge: true, publicUrl: hub, forgePort: '8083' })
    expect(settings.compat.huggingface).toBe(true)
    expect(forge?.settings).toMatchObject({ port: 8083, publicUrl: hub, data: settings.data })
  })

  it('forwards to a forge elsewhere, and has no second one', () => {
    const forgeUrl = 'http://forge.internal:8083'
    const { settings, forge } = beside({ forgeUrl, demo: true })
    expect([settings.forgeUrl, settings.compat.huggingface, forge]).toEqual([
      forgeUrl,
      true,
      undefined,
    ])
    expect(() => beside({ forgeUrl, forge: true })).toThrow(/^--forge-url: a hub has one forge/)
  })
})

describe('the order of a forge', () => {
  const order = linked({ hub })
  const crossed = (): Record<string, unknown> =>
    JSON.parse(JSON.stringify(forgeProtocol.writeOrder(order)))

  it('arrives as it was sent, its secret as a secret', () => {
    const read = readToChild(forgeProtocol, { kind: 'start', order: crossed() })
    if (read?.kind !== 'start') throw new Error('it was refused')
    expect(read.order).toEqual(order)
    expect(JSON.stringify(read)).not.toContain(secret)
  })

  it('is refused without any one of its settings, with one too many, and without its credential', () => {
    const { settings, ...rest } = crossed()
    const refused = (changed: object) =>
      readToChild(forgeProtocol, { kind: 'start', order: { ...rest, settings, ...changed } })
    const members = Object.keys(Object(settings)).filter(
      (name) => !['portFlag', 'bounds', 'operations'].includes(name),
    )
    for (const name of members) {
      expect([name, refused({ settings: { ...Object(settings), [name]: null } })]).toEqual([
        name,
        undefined,
      ])
    }
    expect(refused({ settings: { ...Object(settings), gitProgram: '/tmp/git' } })).toBeUndefined()
    expect(refused({ credential: '' })).toBeUndefined()
    expect(refused({})).toBeDefined()
    expect(readFromChild(forgeProtocol, { kind: 'answer', id: 1, value: 7 })).toBeUndefined()
  })
})
