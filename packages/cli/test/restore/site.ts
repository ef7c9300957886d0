/** A hub and its storage in this process, on a data directory that commands work on meanwhile. */

import { httpHubLink } from '@latchkey/gate/hub-link'
import { openStore, startHub } from '@latchkey/hub'
import { systemClock } from '@latchkey/service/system-clock'
import { type StorageSettings, startStorage } from '@latchkey/storage'
import { pathOf } from '@latchkey/testing/hub/ask'
import { testSettings } from '@latchkey/testing/hub/hub-settings'
import { type RunVerb, verbRunner } from '@latchkey/testing/hub/run-verbs'
import { makeFile, makeShard, makeXorb, randomChunks } from '@latchkey/testing/xet/making'

/** What a client was given for a revision. It goes on asking with it when the storage was restarted. */
export interface Held {
  readonly accessToken: string
  readonly casUrl: string
}

export interface Site {
  /** As a command on the machine would. */
  readonly done: RunVerb
  /** What the storage has logged. */
  readonly lines: readonly string[]
  /** `write models/acme/bert@main`: a storage token, or the status of the refusal. */
  ask(what: string, hubToken: string): Promise<Held | number>
  /** Uploads a xorb and the file that is made of it; gives the status of the last answer. */
  put(held: Held, word: string): Promise<number>
  /** The status of the question what the file is made of. */
  look(held: Held, word: string): Promise<number>
  stop(): Promise<void>
}

export async function openSite(data: string): Promise<Site> {
  const settings = testSettings(data)
  const lines: string[] = []
  const hub = await startHub(settings, { lines: { write() {}, async close() {} } })
  const { credential, blobUrlKey } = hub.embedded
  const link = httpHubLink({ hubUrl: hub.url, credential, clock: systemClock })
  const storage = await startStorage(
    { ...storageSettings, data, casUrl: settings.casUrl, issuer: settings.publicUrl },
    { link, blobUrlKey },
    { lines: { write: (line) => lines.push(line), async close() {} } },
  )
  const store = openStore(settings, { create: false })
  const call = async ({ accessToken, casUrl }: Held, path: string, body?: Uint8Array) => {
    const headers = { authorization: `Bearer ${accessToken}` }
    const sent = body === undefined ? {} : { method: 'POST', body: new Uint8Array(body) }
    const response = await fetch(storage.url + new URL(casUrl).pathname + path, {
      ...sent,
      headers,
    })
    await response.arrayBuffer()
    return response.status
  }
  return {
    done: verbRunner(store, systemClock),
    lines,
    async ask(what, hubToken) {
      const headers = { authorization: `Bearer ${hubToken}` }
      const response = await fetch(hub.url + pathOf(what), { headers })
      const answer = await response.json()
      return response.status === 200 ? (answer as Held) : response.status
    },
    async put(held, word) {
      const { xorb, file } = contentOf(word)
      const status = await call(held, `/v1/xorbs/default/${xorb.hash}`, xorb.bytes)
      if (status !== 200) return status
      return call(held, '/v1/shards', makeShard({ files: [file], xorbs: [xorb] }))
    },
    look: (held, word) => call(held, `/v1/reconstructions/${contentOf(word).file.hash}`),
    async stop() {
      await storage.stop()
      await hub.stop()
      store.close()
    },
  }
}

/** The same for the same word. */
export function contentOf(word: string) {
  const xorb = makeXorb(randomChunks(word, 2))
  return { xorb, file: makeFile([{ xorb }]) }
}

const storageSettings: Omit<StorageSettings, 'data' | 'casUrl' | 'issuer'> = {
  host: '127.0.0.1',
  port: 0,
  isolation: 'ref',
  quota: { bytes: undefined, objects: undefined },
  leewaySeconds: 30,
  timeouts: { idleSeconds: 60, totalSeconds: 3600, leastBytesPerSecond: 0 },
  cors: { origins: [] },
  allowedHosts: [],
  trustedProxies: [],
  limits: { failuresPerMinute: 0, connections: 1000 },
  log: { level: 'debug' },
  stopDeadlineSeconds: 1,
}
