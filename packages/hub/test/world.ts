/** A hub in this process, on a database of its own, with a clock that tests move by hand. */

import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { isRefusal, type Secret, type UnixSeconds, unixSeconds } from '@latchkey/protocol'
import { pooledRandom } from '@latchkey/service/random'
import { applyValue } from '../src/directory/apply/apply-file.ts'
import {
  type HubSettings,
  openStore,
  type RunningHub,
  readInput,
  runVerb,
  type Store,
  startHub,
  verbs,
} from '../src/index.ts'

export interface World {
  readonly hub: RunningHub
  readonly settings: HubSettings
  /** A connection of its own, as a management command would have it. */
  readonly store: Store
  /** Hub tokens by `account/name`. */
  readonly tokens: Readonly<Record<string, Secret<'hub-token'>>>
  readonly logLines: readonly string[]
  now(): UnixSeconds
  /** Moves both clocks of the hub. */
  passSeconds(seconds: number): void
  apply(file: object): Promise<void>
  /** Runs a verb of the directory as a management command would; it must succeed. */
  done(words: string, input?: object): Promise<Record<string, unknown>>
  close(): Promise<void>
}

/** What a test varies; groups are merged member by member. */
export type SettingsChange = {
  readonly [Key in keyof HubSettings]?: HubSettings[Key] extends object
    ? Partial<HubSettings[Key]>
    : HubSettings[Key]
}

export const startOfTime = unixSeconds(1_800_000_000)

export function testSettings(data: string, change: SettingsChange = {}): HubSettings {
  const settings: HubSettings = {
    host: '127.0.0.1',
    port: 0,
    publicUrl: 'https://hub.example',
    casUrl: 'https://cas.example/r/{repo}/{ref}',
    data,
    database: 'sqlite:latchkey.db',
    demo: false,
    masterKey: undefined,
    token: { lifetimeSeconds: 900, algorithm: 'ES256' },
    hubTokenPrefix: 'lk_',
    hidePrivateRepositories: false,
    anonymousPublicRead: false,
    compat: { huggingface: false },
    cors: { origins: [], allowAnonymousAnyOrigin: false },
    trustedProxies: [],
    limits: { requestsPerMinute: 6000, failuresPerMinute: 300, connections: 10_000 },
    operations: { port: undefined, host: '127.0.0.1' },
    log: { level: 'debug' },
    stopDeadlineSeconds: 5,
  }
  const merged = Object.entries(change).map(([key, value]) => {
    const group = settings[key as keyof HubSettings]
    const isGroup = typeof value === 'object' && value !== null && value.constructor === Object
    return [key, isGroup ? { ...(group as object), ...value } : value]
  })
  return { ...settings, ...Object.fromEntries(merged) }
}

export async function startWorld(file: object, change: SettingsChange = {}): Promise<World> {
  const data = mkdtempSync(join(tmpdir(), 'latchkey-hub-'))
  const settings = testSettings(data, change)
  const logLines: string[] = []
  const tokens: Record<string, Secret<'hub-token'>> = {}
  let passed = 0
  const now = () => unixSeconds(startOfTime + passed)
  const running = await startHub(settings, {
    clock: now,
    stopwatch: () => passed * 1000,
    lines: { write: (line) => logLines.push(line), async close() {} },
  }).catch((error) => {
    rmSync(data, { recursive: true, force: true })
    throw error
  })
  let stopped: Promise<void> | undefined
  const stop = () => {
    stopped ??= running.stop()
    return stopped
  }
  const hub: RunningHub = { ...running, stop }
  const store = openStore(settings, { create: false })
  const randomBytes = pooledRandom()
  const { hubTokenPrefix } = settings

  const apply = async (wanted: object): Promise<void> => {
    const applied = await store.directory.change((tables) =>
      applyValue({ tables, now: now(), randomBytes, hubTokenPrefix }, wanted),
    )
    if (isRefusal(applied)) throw new Error(`${applied.path}: ${applied.detail}`)
    for (const { account, name, token } of applied.hubTokens) tokens[`${account}/${name}`] = token
  }
  const done = async (words: string, input: object = {}): Promise<Record<string, unknown>> => {
    const verb = verbs.find((row) => row.words === words)
    if (verb === undefined) throw new Error(`there is no verb ${words}`)
    const read = readInput(verb.input, input)
    if (isRefusal(read)) throw new Error(`${words}: ${read.detail}`)
    const { directory, findRepository } = store
    const policy = { hidePrivateRepositories: false }
    const surroundings = { now: now(), randomBytes, hubTokenPrefix, findRepository, policy }
    const output = await runVerb(verb, read, {
      ...surroundings,
      directory,
      actor: async () => undefined,
    })
    if (isRefusal(output)) throw new Error(`${words}: ${output.detail}`)
    return output as Record<string, unknown>
  }
  await apply(file)
  return {
    hub,
    settings,
    store,
    tokens,
    logLines,
    now,
    apply,
    done,
    passSeconds(seconds) {
      passed += seconds
    },
    async close() {
      await hub.stop()
      store.close()
      rmSync(data, { recursive: true, force: true })
    },
  }
}

/** A hash that stands for a commit in tests. */
export function commit(digit: string): string {
  return digit.repeat(40)
}
