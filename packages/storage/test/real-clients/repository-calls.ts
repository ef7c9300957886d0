/** The calls that clients make of a hub around an upload and before a download. */

import { createHash } from 'node:crypto'
import type { FileList, ListedFile, Tree } from './file-list.ts'
import type { Answer, HubSide, Scope } from './hub-side.ts'

/** A request for one repository. */
export interface Call {
  /** Such as `models/acme/bert`. */
  readonly repository: string
  readonly revision: string
  readonly path: string
  readonly authorization: string | undefined
  readonly createsPullRequest: boolean
  readonly body: string
  /** The address that the client knows this hub by. */
  readonly endpoint: string
}

/** What calls are answered from. */
export interface Shelf {
  readonly hub: HubSide
  /** Hashes of files in the storage, by their SHA-256. */
  readonly stored: ReadonlyMap<string, string>
  filesOf(repository: string): FileList
}

/** The storage is to keep every file. */
export async function answerPreupload(call: Call, { hub }: Shelf): Promise<Answer> {
  const told = await askForToken(hub, call, 'write')
  if (told.status !== 200) return told
  const { files }: { files: { path: string }[] } = JSON.parse(call.body)
  return inJson({
    files: files.map(({ path }) => ({ path, uploadMode: 'lfs', shouldIgnore: false })),
  })
}

export async function answerLfsBatch(call: Call): Promise<Answer> {
  const { objects, ref }: LfsBatch = JSON.parse(call.body)
  const href = tokenUrl(call, 'write', ref?.name ?? 'main')
  return inJson({
    transfer: 'xet',
    objects: objects.map((each) => ({ ...each, actions: { upload: { href, header: {} } } })),
  })
}

interface LfsBatch {
  readonly objects: readonly { readonly oid: string; readonly size: number }[]
  readonly ref?: { readonly name: string }
}

/** Recorded at the hub, so that the commit's own tokens see what the branch has written. */
export async function commitFiles(call: Call, { hub, stored, filesOf }: Shelf): Promise<Answer> {
  const told = await askForToken(hub, call, 'write')
  if (told.status !== 200) return told
  const { repository, endpoint, createsPullRequest } = call
  const branch = call.revision === 'None' ? 'main' : call.revision
  const files = readFiles(call.body, stored)
  if (files === undefined) return notFound('EntryNotFound', 'A file is not in the storage.')
  const list = filesOf(repository)
  const number = createsPullRequest ? list.nextPullRequest() : undefined
  const ref = number === undefined ? branch : `refs/pr/${number}`
  const commit = list.commit(ref, branch, files)
  const origin = number === undefined ? {} : { from: branch }
  await hub.setRef(repository, ref, { ...origin, commit })
  const page = `${endpoint}/${repository.replace(/^models\//, '')}`
  return inJson({
    success: true,
    commitOid: commit,
    commitUrl: `${page}/commit/${commit}`,
    ...(number === undefined ? {} : { pullRequestUrl: `${page}/discussions/${number}` }),
  })
}

/** Undefined when one of them is not in the storage. */
function readFiles(lines: string, stored: Shelf['stored']): Tree | undefined {
  const files = new Map<string, ListedFile>()
  for (const line of lines.split('\n').filter(Boolean)) {
    const { key, value }: CommitLine = JSON.parse(line)
    if (key === 'file') {
      files.set(value.path, { kind: 'inline', content: Buffer.from(value.content, 'base64') })
    }
    if (key !== 'lfsFile') continue
    const { path, oid: sha256, size } = value
    const hash = stored.get(sha256)
    if (hash === undefined && size > 0) return undefined
    const listed = { kind: 'stored', hash: hash ?? '', sha256, size } as const
    files.set(path, size === 0 ? { kind: 'inline', content: Buffer.alloc(0) } : listed)
  }
  return files
}

type CommitLine =
  | { readonly key: 'header'; readonly value: object }
  | { readonly key: 'file'; readonly value: { readonly path: string; readonly content: string } }
  | {
      readonly key: 'lfsFile'
      readonly value: { readonly path: string; readonly oid: string; readonly size: number }
    }

/** A download asks by commit: what the branch writes later is not in it. */
export async function answerFile(call: Call, { hub, filesOf }: Shelf): Promise<Answer> {
  const list = filesOf(call.repository)
  const commit = list.commitOf(call.revision)
  const revision = commit ?? call.revision
  const told = await askForToken(hub, { ...call, revision }, 'read')
  if (told.status !== 200) return told
  const file = list.treeOf(commit).get(call.path)
  if (file === undefined) return notFound('EntryNotFound', 'There is no such file.')
  const { casUrl } = JSON.parse(String(told.body))
  const commits = { 'X-Repo-Commit': revision }
  if (file.kind === 'inline') return answerInline(file.content, commits)
  const links = [
    `<${tokenUrl(call, 'read', revision)}>; rel="xet-auth"`,
    `<${casUrl}/v1/reconstructions/${file.hash}>; rel="xet-reconstruction-info"`,
  ]
  return {
    status: 200,
    headers: {
      ...commits,
      'Content-Type': 'application/vnd.xet-fileinfo+json',
      'X-Xet-Hash': file.hash,
      'X-Linked-Size': String(file.size),
      ETag: `"${file.sha256}"`,
      Link: links.join(', '),
    },
  }
}

function answerInline(content: Buffer, headers: Readonly<Record<string, string>>): Answer {
  const etag = createHash('sha1').update(content).digest('hex')
  const size = content.length
  return {
    status: 200,
    headers: {
      ...headers,
      ETag: `"${etag}"`,
      'Content-Length': String(size),
      // One client learns the size from here alone.
      'Content-Range': `bytes 0-${Math.max(0, size - 1)}/${size}`,
    },
    body: content,
  }
}

function askForToken(hub: HubSide, call: Call, scope: Scope): Promise<Answer> {
  const { pathname } = new URL(tokenUrl(call, scope, call.revision))
  return hub.get(pathname, call.authorization)
}

function tokenUrl({ endpoint, repository }: Call, scope: Scope, revision: string): string {
  return `${endpoint}/api/${repository}/xet-${scope}-token/${encodeURIComponent(revision)}`
}

function inJson(body: object): Answer {
  return {
    status: 200,
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify(body),
  }
}

function notFound(code: string, error: string): Answer {
  const headers = { 'Content-Type': 'application/json', 'X-Error-Code': code }
  return { status: 404, headers, body: JSON.stringify({ error }) }
}
