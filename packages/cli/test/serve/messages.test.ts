import { Secret } from '@latchkey/protocol'
import { readFromChild, readToChild } from '@latchkey/service/machine/child/messages'
import type { StorageSettings } from '@latchkey/storage'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { hubSettings } from '../../src/configuration/hub-settings.ts'
import { readConfiguration } from '../../src/configuration/read-configuration.ts'
import { storageSettings } from '../../src/configuration/storage-settings.ts'
import { type StorageOrder, storageProtocol } from '../../src/serve/storage-messages.ts'

const startMessage = (sent: StorageOrder) => ({
  kind: 'start',
  order: storageProtocol.writeOrder(sent),
})
const readToStorage = (given: unknown) => readToChild(storageProtocol, given)
const readFromStorage = (given: unknown) => readFromChild(storageProtocol, given)

const order: StorageOrder = {
  settings: settingsOfServe(),
  hubUrl: 'http://127.0.0.1:8080',
  allowPlainHttp: true,
  credential: new Secret('hub-token', 'a credential'),
}

function settingsOfServe(): StorageSettings {
  const configuration = readConfiguration({}, {})
  const settings = storageSettings(configuration, hubSettings(configuration))
  if (settings === undefined) throw new Error('there is no storage by default')
  return settings
}

/** As it arrives in the other process. */
function crossed(message: object): Record<string, unknown> {
  return structuredClone(message) as Record<string, unknown>
}

describe('a message to the storage', () => {
  it.each([
    ['nothing', undefined],
    ['text', 'stop'],
    ['another kind', { kind: 'run' }],
    ['a list', [{ kind: 'stop' }]],
    ['a stop with more', { kind: 'stop', now: true }],
    ['a question without an id', { kind: 'ask', question: 'metrics' }],
    ['another question', { kind: 'ask', id: 1, question: 'secrets' }],
    ['a start with more', { ...startMessage(order), demo: true }],
    ['an order with more', { kind: 'start', order: { ...startMessage(order).order, demo: true } }],
    [
      'an order without its credential',
      { kind: 'start', order: { ...startMessage(order).order, credential: '' } },
    ],
  ])('is refused when it is %s', (_, given) => {
    expect(readToStorage(given)).toBeUndefined()
  })

  it('is refused without any one of the settings, with one of another kind, and with one too many', () => {
    const optional: readonly string[] = [
      ...['shardCaps', 'reservedBytes', 'portFlag', 'blobUrlKeyName', 'operations', 'revocations'],
      ...['hasPrivateMetrics', 'deletedKeepDays'],
    ]
    const { settings, ...rest } = crossed(startMessage(order).order)
    const withSettings = (changed: object) => ({
      kind: 'start',
      order: { ...rest, settings: { ...Object(settings), ...changed } },
    })
    for (const name of Object.keys(order.settings)) {
      if (!optional.includes(name)) {
        expect([name, readToStorage(withSettings({ [name]: undefined }))]).toEqual([
          name,
          undefined,
        ])
      }
      expect([name, readToStorage(withSettings({ [name]: null }))]).toEqual([name, undefined])
    }
    expect(readToStorage(withSettings({ masterKey: 'x' }))).toBeUndefined()
    expect(readToStorage(withSettings({}))).toBeDefined()
  })

  it('arrives as it was sent, its secrets as secrets', () => {
    const read = readToStorage(crossed(startMessage(order)))
    if (read?.kind !== 'start') throw new Error('it was refused')
    expect(read.order).toEqual(order)
    expect(read.order.credential.reveal()).toBe('a credential')
    expect(JSON.stringify(read)).not.toContain('a credential')
    const ask = { kind: 'ask', id: 7, question: 'readiness' }
    expect(readToStorage(crossed(ask))).toEqual(ask)
  })
})

describe('a message of the storage', () => {
  it('is one of four, and nothing else', () => {
    const messages = [
      { kind: 'here' },
      { kind: 'started', url: 'http://127.0.0.1:8081' },
      { kind: 'cannot-start', line: 'port 8081 is taken' },
      { kind: 'answer', id: 1, value: 'ready' },
    ]
    expect(messages.map(readFromStorage)).toEqual(messages)
    fc.assert(
      fc.property(fc.anything(), (given) => {
        expect(readFromStorage(given)).toBeUndefined()
      }),
    )
    for (const message of messages) {
      expect(readFromStorage({ ...message, more: 1 })).toBeUndefined()
    }
    expect(readFromStorage({ kind: 'started', url: 8081 })).toBeUndefined()
  })
})
