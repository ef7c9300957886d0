/** The decision vectors hold through the routes of a forge and through git, as they hold for token requests. */

import { spawnSync } from 'node:child_process'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { openForge } from '@latchkey/forge'
import { openGit, parseTreePath } from '@latchkey/forge/git'
import { asRepositoryUid, unixSeconds } from '@latchkey/protocol'
import { rounds } from '@latchkey/testing/chance'
import { temporaryFolder } from '@latchkey/testing/machine/folder'
import { expect, test } from 'vitest'
import { actAsCaller } from '../../src/as-caller/act-as-caller.ts'
import { usualCreationRules } from '../../src/as-caller/creation-rules.ts'
import type { AsCallerDeps } from '../../src/as-caller/deps.ts'
import type { Reading } from '../../src/tables/directory.ts'
import { bearer, issuingFor } from '../permission/issuing-for.ts'
import { type Case, groups } from '../permission/read-vectors.ts'

const isGitThere = spawnSync('git', ['--version']).status === 0
if (!isGitThere) console.warn('NOT TESTED: git is not installed, so no forge is asked')

const uid = asRepositoryUid('a'.repeat(26))
const cases = groups.flatMap((group) => group.cases)

interface Question {
  readonly path: (revision: string) => string
  readonly method?: string
  readonly body?: string
}

const json = (value: object) => JSON.stringify(value)
const api = '/api/models/acme/bert'

// A commit without a header goes as far as the decision, and no further.
// biome-ignore format: a table is read by its columns
const questions: Readonly<Record<Case['scope'], readonly Question[]>> = {
  read: [
    { path: (revision) => `${api}/revision/${revision}` },
    { path: (revision) => `${api}/tree/${revision}` },
    { path: (revision) => `${api}/paths-info/${revision}`, method: 'POST', body: json({ paths: ['a'] }) },
    { path: (revision) => `${api}/commits/${revision}` },
    { path: (revision) => `/acme/bert/resolve/${revision}/a` },
    { path: (revision) => `/acme/bert/resolve/${revision}/a`, method: 'HEAD' },
  ],
  write: [
    { path: (revision) => `${api}/preupload/${revision}`, method: 'POST', body: json({ files: [] }) },
    { path: (revision) => `${api}/commit/${revision}`, method: 'POST', body: '\n' },
  ],
}

/** Git names no revision: what it may be asked is the default branch, to read. */
function isOfGit(one: Case): boolean {
  const { scope, revision } = one
  const name = defaultBranchOf(one)
  return scope === 'read' && [name, name.replace('refs/heads/', ''), 'None'].includes(revision)
}

function defaultBranchOf({ repository }: Case): string {
  return repository?.defaultBranch ?? 'refs/heads/main'
}

/** The codes by which a decision refuses, and what the answers to HEAD and to git tell of them. */
const byStatus: Readonly<Record<string, string>> = {
  '401': 'hub_token_missing hub_token_invalid',
  '403': 'permission_denied',
  '404 RepoNotFound': 'repository_not_found',
  '404 RevisionNotFound': 'revision_not_found',
}
const refusing = new Set(Object.values(byStatus).flatMap((codes) => codes.split(' ')))

type Said = 'yes' | { readonly refused: string; readonly missing?: boolean }

async function said(answer: Response): Promise<Said> {
  if (answer.status >= 500) throw new Error(`${answer.status}: ${await answer.text()}`)
  const header = answer.headers.get('x-error-code')
  const text = await answer.text()
  // Git shows its users text.
  const isJson = /\bjson\b/.test(answer.headers.get('content-type') ?? '')
  if (text === '' || (!answer.ok && !isJson)) {
    const codes =
      byStatus[[answer.status, header].filter(Boolean).join(' ')] ?? byStatus[answer.status]
    return codes === undefined ? 'yes' : { refused: codes }
  }
  if (answer.ok) return 'yes'
  const { code, missing } = JSON.parse(text)
  return refusing.has(code) ? { refused: code, missing: missing !== undefined } : 'yes'
}

function agrees(found: Said, wanted: Said): boolean {
  if (found === 'yes' || wanted === 'yes') return found === wanted
  const isTold = found.missing === undefined || found.missing === wanted.missing
  return found.refused.split(' ').includes(wanted.refused) && isTold
}

/** A forge that is asked about one vector after the other, over a repository with one commit. */
async function startForge() {
  const data = temporaryFolder()
  const commit = await makeCommit(data)
  const current: { asked: Case | undefined } = { asked: undefined }
  const port = () => {
    if (current.asked === undefined) throw new Error('nobody asks')
    return actAsCaller(partsFor(current.asked))
  }
  const forge = await openForge({
    hub: {
      asking: (request) => port().asking(request),
      refsOf: async (wanted) => port().refsOf(wanted),
      dropReserved: async (...ref) => port().dropReserved(...ref),
      expireUploads: async () => 0,
      deletedAmong: async () => [],
      hold: async () => {},
      release: async () => {},
    },
    ...{ data, publicUrl: 'https://hub.example', logFailure: (error) => console.error(error) },
    clientAddress: () => '127.0.0.1',
  })
  const server = createServer((request, response) => {
    const serve = forge.handlerFor(request.method ?? '', request.url ?? '')
    if (serve === undefined) response.writeHead(500).end('nobody serves this')
    else serve(request, response)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  return {
    async ask(asked: Case, { path, method = 'GET', body }: Question): Promise<Said> {
      current.asked = inGit(asked, commit)
      const revision = encodeURIComponent(current.asked.revision)
      const answer = await fetch(url + path(revision), {
        method,
        headers: {
          ...(asked.caller === 'none' ? {} : { authorization: bearer }),
          ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        },
        ...(body === undefined ? {} : { body }),
      })
      return said(answer)
    },
    async close() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
      await forge.close()
    },
  }
}

async function makeCommit(data: string): Promise<string> {
  const git = await openGit({ folder: `${data}/repositories` })
  const repository = await git.create(uid)
  const path = parseTreePath('a')
  if (path === undefined) throw new Error('a is a path')
  const hash = await repository.writeBlob(Buffer.from('content'))
  const changed = await repository.changeTree(undefined, [
    { kind: 'add', path, hash, mode: '100644' },
  ])
  if (!changed.ok) throw new Error(changed.refusal)
  const person = { name: 'Ada', email: 'ada@example.org' }
  const commit = await repository.writeCommit({
    ...{ tree: changed.tree, parents: [], author: person, committer: person },
    ...{ message: 'first', at: unixSeconds(1) },
  })
  git.close()
  return commit
}

/** The hashes of the vectors are those of no commit: each stands for the one that is there. */
function inGit(asked: Case, commit: string): Case {
  const text = JSON.stringify(asked).replaceAll(
    /\b(?!0+\b)(?:[0-9a-f]{40}|[0-9a-f]{64})\b/g,
    commit,
  )
  const { repository, ...rest } = JSON.parse(text)
  return { ...rest, repository: repository && { ...repository, uid } }
}

function partsFor(asked: Case): AsCallerDeps {
  const { repository, now } = asked
  const found = repository?.ref
  // biome-ignore format: a table is read by its columns
  const rows: Readonly<Record<string, readonly object[]>> = {
    repositories: [{ uid, visibility: repository?.visibility, default_branch: repository?.defaultBranch, created_at: 1 }],
    refs:         found === undefined ? [] : [{ name: found.name, commit_hash: found.commit }],
  }
  const tables = { selectFrom: (table: string) => rowsAs(rows[table] ?? []) } as unknown as Reading
  return {
    issuing: issuingFor(asked),
    readBeside: (work) => work(tables as never),
    work: { findRepository: async () => repository } as unknown as AsCallerDeps['work'],
    clock: () => now,
    log: () => {},
    writeDown: { outcome() {}, issuedAgain() {} },
    rules: usualCreationRules,
    tickets: { read: () => undefined },
  }
}

/** A question to a table, whatever it is narrowed to. */
function rowsAs(rows: readonly object[]): object {
  return new Proxy(
    {},
    {
      get(_, name, self) {
        if (name === 'execute') return async () => rows
        if (name === 'executeTakeFirst') return async () => rows[0]
        return () => self
      },
    },
  )
}

function wantedOf({ expect: wanted }: Case): Said {
  return 'refused' in wanted ? { refused: wanted.refused, missing: wanted.missing } : 'yes'
}

// conformance: Forge / The forge decides as token requests do
test.skipIf(!isGitThere)(
  'each vector is decided alike by every route that names a revision, and by git where it asks for the default branch',
  async () => {
    const forge = await startForge()
    const asked = { read: 0, write: 0, git: 0 }
    const wrong: object[] = []
    try {
      for (const [turn, one] of cases.entries()) {
        for (const question of questionsAbout(one, turn)) {
          const found = await forge.ask(one, question)
          // A forge reads HEAD as the default branch; the vectors are for token requests, which do not.
          const wanted =
            one.revision === 'HEAD'
              ? await forge.ask({ ...one, revision: defaultBranchOf(one) }, question)
              : wantedOf(one)
          asked[one.scope] += 1
          if (!agrees(found, wanted)) {
            const { method = 'GET' } = question
            wrong.push({ name: one.name, asked: `${method} ${question.path('…')}`, found, wanted })
          }
        }
        if (!isOfGit(one)) continue
        if (one.revision !== 'None') {
          const [question = { path: () => api }] = questionsAbout(one, turn)
          const found = await forge.ask({ ...one, revision: 'HEAD' }, question)
          const wanted = wantedOf(one)
          if (!agrees(found, wanted)) wrong.push({ name: one.name, asked: 'HEAD', found, wanted })
        }
        const path = () => '/acme/bert.git/info/refs?service=git-upload-pack'
        const [found, wanted] = [await forge.ask(one, { path }), wantedByGit(one)]
        asked.git += 1
        if (!agrees(found, wanted)) wrong.push({ name: one.name, asked: 'git', found, wanted })
      }
    } finally {
      await forge.close()
    }
    expect(wrong).toEqual([])
    expect(asked.read + asked.write).toBeGreaterThanOrEqual(cases.length)
    const notOfGit = cases.length - asked.git
    process.stdout.write(
      `decisions: ${asked.read} reads, ${asked.write} writes, ${asked.git} by git; ` +
        `${notOfGit} cases name another revision than the default branch, or write, and git asks for neither\n`,
    )
    expect(asked.git).toBeGreaterThan(50)
  },
)

/** All of them in a soak; otherwise in turn. */
function questionsAbout({ scope }: Case, turn: number): readonly Question[] {
  const all = questions[scope]
  const first = turn % all.length
  return [...all.slice(first), ...all.slice(0, first)].slice(0, rounds(1, all.length))
}

/** Git serves any object by its hash, so it is for hub tokens without a list of refs. */
function wantedByGit(one: Case): Said {
  const wanted = wantedOf(one)
  const isLimited =
    typeof one.caller === 'object' &&
    one.caller.kind === 'fine-grained' &&
    one.caller.grants.every(({ refs }) => refs !== undefined)
  return wanted === 'yes' && isLimited ? { refused: 'permission_denied', missing: true } : wanted
}
