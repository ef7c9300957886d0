/** The rest of a hub, as Hugging Face clients need it, in front of the real one that issues tokens. */

import { createServer, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { type FileList, fileList } from './file-list.ts'
import { type Answer, hubSide } from './hub-side.ts'
import {
  answerFile,
  answerLfsBatch,
  answerPreupload,
  type Call,
  commitFiles,
  type Shelf,
} from './repository-calls.ts'

export interface RestOfAHub {
  readonly url: string
  /** The paths at which clients have asked for tokens. */
  readonly tokenRequests: readonly string[]
  close(): Promise<void>
}

export interface RestSettings {
  readonly hubUrl: string
  /** An administrator's, to record commits with. */
  readonly adminToken: string
  /** Hashes of files in the storage, by their SHA-256. */
  readonly stored: ReadonlyMap<string, string>
}

interface Route {
  readonly method: string
  readonly shape: RegExp
  readonly serve: (call: Call, shelf: Shelf) => Promise<Answer>
}

/** What each placeholder stands for. */
const parts: Readonly<Record<string, string>> = {
  types: '(?<types>models|datasets|spaces)',
  folder: '(?<folder>/datasets|/spaces|)',
  id: '(?<id>[^/]+/[^/]+?)',
  revision: '(?<revision>[^/]+)',
  path: '(?<path>.+)',
}

// biome-ignore format: a table is read by its columns
const routes: readonly Route[] = [
  { method: 'POST', shape: shapeOf('/api/{types}/{id}/preupload/{revision}'),   serve: answerPreupload },
  { method: 'POST', shape: shapeOf('{folder}/{id}.git/info/lfs/objects/batch'), serve: answerLfsBatch },
  { method: 'POST', shape: shapeOf('/api/{types}/{id}/commit/{revision}'),      serve: commitFiles },
  { method: 'GET',  shape: shapeOf('{folder}/{id}/resolve/{revision}/{path}'),  serve: answerFile },
]

export async function openRestOfAHub(settings: RestSettings): Promise<RestOfAHub> {
  const lists = new Map<string, FileList>()
  const tokenRequests: string[] = []
  const shelf: Shelf = {
    hub: hubSide(settings.hubUrl, settings.adminToken),
    stored: settings.stored,
    filesOf(repository) {
      const list = lists.get(repository) ?? fileList(repository)
      lists.set(repository, list)
      return list
    },
  }
  const server = createServer({ keepAliveTimeout: 75_000 }, async (request, response) => {
    if (isTokenRequest(request)) tokenRequests.push(request.url ?? '')
    const answer = await answerTo(request, shelf).catch(failed)
    response.writeHead(answer.status, answer.headers).end(answer.body)
  })
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', () => done()))
  const { port } = server.address() as AddressInfo
  return {
    url: `http://127.0.0.1:${port}`,
    tokenRequests,
    async close() {
      server.closeAllConnections()
      await new Promise<void>((done) => server.close(() => done()))
    },
  }
}

async function answerTo(request: IncomingMessage, shelf: Shelf): Promise<Answer> {
  const { url = '', headers } = request
  if (isTokenRequest(request)) return shelf.hub.get(url, headers.authorization)
  const method = request.method === 'HEAD' ? 'GET' : request.method
  const { pathname, searchParams } = new URL(url, `http://${headers.host}`)
  for (const route of routes) {
    const found = route.method === method ? route.shape.exec(pathname)?.groups : undefined
    if (found === undefined) continue
    const { types = found['folder']?.slice(1) || 'models', id, revision = '', path = '' } = found
    const call: Call = {
      repository: `${types}/${id}`,
      revision: decodeURIComponent(revision),
      path: decodeURIComponent(path),
      authorization: headers.authorization,
      createsPullRequest: searchParams.get('create_pr') === '1',
      body: await text(request),
      endpoint: `http://${headers.host}`,
    }
    return route.serve(call, shelf)
  }
  return { status: 404, body: `${request.method} ${url} is not part of this hub` }
}

function isTokenRequest({ url = '' }: IncomingMessage): boolean {
  return /^\/api\/[^?]+\/(?:xet|storage)-(?:read|write)-token\//.test(url)
}

function failed(error: unknown): Answer {
  return { status: 500, body: error instanceof Error ? error.message : String(error) }
}

function shapeOf(template: string): RegExp {
  const pattern = template
    .replaceAll('.', '\\.')
    .replace(/\{(\w+)\}/g, (_, name: string) => parts[name] ?? '')
  return new RegExp(`^${pattern}$`)
}
