/** A hub and its storage, content in it, and the URL by which a client reads that content. */

import { join } from 'node:path'
import { onTestFinished } from 'vitest'
import { commit } from '../directory-file.ts'
import { contentOf, type Held, storageCalls } from '../restore/storage-calls.ts'
import { latchkeyHere } from '../run-here.ts'
import { type Ended, end, ready, start, temporaryDirectory } from '../run-latchkey.ts'
import { bothHere } from '../serve-here.ts'

const directory = {
  accounts: [{ name: 'ada' }],
  namespaces: [{ name: 'acme', members: { ada: 'write' } }],
  repositories: [
    { type: 'model', id: 'acme/bert', visibility: 'private', branches: { main: commit } },
  ],
  hubTokens: [{ account: 'ada', name: 'laptop', kind: 'write' }],
}

export interface RunningStorage {
  readonly cwd: string
  readonly hubUrl: string
  /** A command on the same machine; it must succeed. */
  run(...args: string[]): Promise<Ended>
  /** What the hub and its storage have written. */
  output(): { readonly stdout: string; readonly stderr: string }
  /** A storage token. */
  held(): Promise<Held>
  put(held: Held): Promise<number>
  look(held: Held): Promise<number>
  /** Gives the status of a request with a URL that was signed just now. */
  openBlob(held: Held): Promise<() => Promise<number>>
}

const word = 'content'

type Env = Readonly<Record<string, string>>

type Started = Pick<RunningStorage, 'output'> & { readonly url: string }

/** As processes of the command. */
export async function processesOf(cwd: string, env: Env): Promise<Started> {
  const child = start(['serve', '--port', '0'], { cwd, env })
  onTestFinished(() => end(child))
  return ready(child)
}

/** In the process of the test; without a log. */
async function startHere(cwd: string, env: Env): Promise<Started> {
  const { url, stop } = await bothHere(join(cwd, 'latchkey-data'), env, {
    stopDeadlineSeconds: '1',
  })
  onTestFinished(stop)
  return { url, output: () => ({ stdout: '', stderr: '' }) }
}

export async function openRunningStorage(
  env: Env = {},
  startBoth = startHere,
): Promise<RunningStorage> {
  const cwd = temporaryDirectory()
  const input = JSON.stringify(directory)
  const { stdout } = await latchkeyHere(['apply', '-', '--json'], { cwd, input, env })
  const [{ token }] = JSON.parse(stdout).hubTokens
  const { url: hubUrl, output } = await startBoth(cwd, env)
  const held = async (): Promise<Held> => {
    const path = '/api/models/acme/bert/storage-write-token/main'
    const answer = await fetch(hubUrl + path, { headers: { authorization: `Bearer ${token}` } })
    return (await answer.json()) as Held
  }
  const { put, look } = storageCalls(new URL((await held()).casUrl).origin)
  return {
    ...{ cwd, hubUrl, held, output },
    async run(...args) {
      const ended = await latchkeyHere(args, { cwd, env })
      if (ended.code !== 0) throw new Error(ended.stderr)
      return ended
    },
    put: (given) => put(given, word),
    look: (given) => look(given, word),
    openBlob,
  }
}

async function openBlob(held: Held): Promise<() => Promise<number>> {
  const open = await blobOpener(held, word)
  return () => open()
}

/** Gives the status of a request with a URL that was signed just now, at the storage that is named, or at its own. */
export async function blobOpener(
  { accessToken, casUrl }: Held,
  content: string,
): Promise<(storageUrl?: string) => Promise<number>> {
  const { xorb, file } = contentOf(content)
  const headers = { authorization: `Bearer ${accessToken}` }
  const answer = await fetch(`${casUrl}/v1/reconstructions/${file.hash}`, { headers })
  const { fetch_info } = (await answer.json()) as Reconstruction
  const [first] = fetch_info[xorb.hash] ?? []
  if (first === undefined) throw new Error('no URL was given')
  const { url, url_range: bytes } = first
  const { origin, pathname, search } = new URL(url)
  return async (storageUrl = origin) => {
    const response = await fetch(storageUrl + pathname + search, {
      headers: { range: `bytes=${bytes.start}-${bytes.end}` },
    })
    await response.arrayBuffer()
    return response.status
  }
}

interface Reconstruction {
  readonly fetch_info: Readonly<
    Record<
      string,
      readonly {
        readonly url: string
        readonly url_range: { readonly start: number; readonly end: number }
      }[]
    >
  >
}
