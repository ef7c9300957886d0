/** Prepares the demo's accounts, repositories and hub tokens while its hub runs, and returns its first screen. */

import { createCipheriv, createHash } from 'node:crypto'
import {
  type Git,
  openGit,
  parseObjectHash,
  parseTreePath,
  type Repository,
  repositoriesFolder,
} from '@latchkey/forge/git'
import {
  asRepositoryUid,
  type CommitHash,
  type RepositoryUid,
  Secret,
  type UnixSeconds,
} from '@latchkey/protocol'
import { ask } from '@latchkey/service/http/ask'
import { parseTarget } from '../client/target.ts'
import { withTransferClient } from '../client/with-client.ts'
import { storeSettings } from '../configuration/hub-settings.ts'
import type { Values } from '../configuration/options.ts'
import { openLocalStore } from '../management/local-store.ts'
import { colours } from '../output/colours.ts'
import { jsonIn, membersOf } from '../reading/members-of.ts'
import { uploadCalls } from '../transfer/storage-calls.ts'
import { writeAddresses } from './addresses-file.ts'
import { author, commits, committedAt, type DemoCommit, hashes, weights } from './content.ts'
import { demoScreen } from './demo-screen.ts'
import { findTools, noTools } from './find-tools.ts'
import { ownCommand } from './own-command.ts'
import { findUid, prepareDemo } from './prepare-demo.ts'

/** Only while the branch is as the demo has made it. */
async function sendWeights(url: string, token: string): Promise<void> {
  const api = `${url}/api/${weights.repository}`
  const headers = { authorization: `Bearer ${token}` }
  const state = await ask(`${api}/revision/main`, { headers })
  const revision = jsonIn(String(await state.read(maxAnswerBytes)))
  if (!state.isOk || membersOf(revision)['sha'] !== hashes.llama) return
  const bytes = weightsNoise(weights.bytes)
  await upload(url, token, bytes)
  const oid = createHash('sha256').update(bytes).digest('hex')
  const { path, message } = weights
  const lines = [
    { key: 'header', value: { summary: message, parentCommit: hashes.llama } },
    { key: 'lfsFile', value: { path, algo: 'sha256', oid, size: bytes.length } },
  ]
  const body = lines.map((line) => JSON.stringify(line)).join('\n')
  const committing = { headers: { ...headers, 'content-type': 'application/x-ndjson' }, body }
  const answer = await ask(`${api}/commit/main`, committing)
  const reply = await answer.read(maxAnswerBytes)
  if (!answer.isOk) throw new Error(`the demo could not commit its weights: ${reply}`)
}

const maxAnswerBytes = 1024 * 1024

async function upload(url: string, token: string, bytes: Uint8Array): Promise<void> {
  const { startUpload } = await import('@latchkey/xet')
  const login = {
    ...{ url, token: new Secret('hub-token', token), allowPlainHttp: true },
    source: 'typed',
  } as const
  await withTransferClient(login, parseTarget(weights.repository), async (client) => {
    const sending = startUpload(uploadCalls(client))
    await sending.add(inOnePart(bytes))
    await sending.finish()
  })
}

async function* inOnePart(bytes: Uint8Array): AsyncGenerator<Uint8Array, void, undefined> {
  yield bytes
}

interface DemoHub {
  readonly url: string
  /** Whether a forge runs beside it. */
  readonly servesRepositories: boolean
}

/** The hub listens already: a demo that finds its port taken must not change the tokens of another. */
export async function demoOf(
  hub: DemoHub,
  storage: { readonly url: string } | undefined,
  values: Values,
): Promise<string> {
  const settings = storeSettings(values)
  const store = await openLocalStore(settings, { create: false })
  try {
    const tokens = await prepareDemo(store, values)
    const { data } = settings
    const addresses = { url: hub.url, storageUrl: storage?.url }
    writeAddresses(data, addresses)
    const command = ownCommand(process.env)
    const tools = hub.servesRepositories ? findTools(process.env) : noTools
    if (hub.servesRepositories) {
      await fillRepositories(data, (repository) => findUid(store, values, repository))
      const token = tokens.get('demo-write')
      if (storage !== undefined && token?.id !== undefined) await sendWeights(hub.url, token.text)
    }
    return demoScreen({ ...addresses, data, tokens, command, tools }, colours(process.stdout))
  } finally {
    await store.close()
  }
}

/** Bytes that look like weights: a file of safetensors whose one tensor is noise, the same in every demo. */
function weightsNoise(bytes: number): Buffer {
  const header = JSON.stringify({
    noise: { dtype: 'U8', shape: [bytes], data_offsets: [0, bytes] },
  })
  const text = Buffer.from(header.padEnd(Math.ceil(header.length / 8) * 8))
  const length = Buffer.alloc(8)
  length.writeBigUInt64LE(BigInt(text.length))
  const cipher = createCipheriv('aes-128-ctr', Buffer.alloc(16), Buffer.alloc(16))
  return Buffer.concat([length, text, cipher.update(Buffer.alloc(bytes))])
}

/** Done again, it finds everything there. */
async function fillRepositories(
  data: string,
  uidOf: (repository: string) => Promise<string | undefined>,
): Promise<void> {
  // The forge runs already, and may be making a repository just now.
  const git = await openGit({ folder: repositoriesFolder(data), isBesideAnother: true })
  try {
    const byRepository = Map.groupBy(commits, ({ repository }) => repository)
    const filled = [...byRepository].map(async ([repository, own]) => {
      const uid = await uidOf(repository)
      if (uid === undefined) return
      for (const commit of own) await fill(git, asRepositoryUid(uid), commit)
    })
    await Promise.all(filled)
  } finally {
    git.close()
  }
}

async function fill(git: Git, uid: RepositoryUid, commit: DemoCommit): Promise<void> {
  const repository = await git.create(uid)
  const hash = parseObjectHash(commit.hash)
  const [found] = hash === undefined ? [] : await repository.infoOf([hash])
  if (found !== undefined) return
  const made = await write(repository, commit)
  if (made !== commit.hash) throw new Error(`the demo has the commit ${made} for ${commit.hash}`)
}

async function write(repository: Repository, commit: DemoCommit): Promise<CommitHash> {
  const { parent, message, files } = commit
  const parents = parent === undefined ? [] : [parent as CommitHash]
  const base = parents[0] && (await repository.treeOf(parents[0]))
  const edits = await Promise.all(
    Object.entries(files).map(async ([name, text]) => {
      const path = parseTreePath(name)
      if (path === undefined) throw new Error(`${name} is no path`)
      const hash = await repository.writeBlob(Buffer.from(text))
      return { kind: 'add', path, hash, mode: '100644' } as const
    }),
  )
  const changed = await repository.changeTree(base, edits)
  if (!changed.ok) throw new Error('the files of the demo do not fit together')
  const { tree } = changed
  const at = committedAt as UnixSeconds
  const signed = { author, committer: author, message, at }
  return repository.writeCommit({ tree, parents, ...signed })
}
