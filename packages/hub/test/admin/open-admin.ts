/** The admin API over a directory of its own, called without a socket. */

import {
  isRefusal,
  problemOf,
  type Refusal,
  readBearer,
  refuse,
  statusOf,
} from '@latchkey/protocol'
import { serveRoutes } from '@latchkey/service/http/routes'
import { bodiesWithinHeap, shares } from '@latchkey/service/limits/shares'
import { pooledRandom } from '@latchkey/service/machine/random'
import { type Answered, type Injected, inject } from '@latchkey/testing/http/inject'
import { testKeyWork } from '@latchkey/testing/hub/key-work'
import { expect } from 'vitest'
import { repositoryFinder } from '../../src/access/find-repository.ts'
import { type AdminDeps, adminRoutes } from '../../src/admin/serve-admin.ts'
import type { Caller } from '../../src/identity/caller.ts'
import { journalWatch } from '../../src/journal/journal-watch.ts'
import { findHead } from '../../src/journal/read-journal.ts'
import type { AdminCall } from '../../src/operations/admin-call.ts'
import { believed } from '../revocation/pretended-token.ts'
import { administrator, openDirectory } from '../verbs/open-directory.ts'

/** The id of every request here: without chance, all ids are the same. */
export const requestId = 'a'.repeat(26)

/** What each bearer of these tests stands for. */
const callers: Readonly<Record<string, Caller>> = {
  all: administrator(),
  accounts: administrator(['account']),
  applies: administrator(['apply']),
  write: { ...administrator(), kind: 'write' },
  manages: { ...administrator(), administrator: false, namespaces: ['acme'] },
  fallen: { ...administrator(), administrator: false },
}

type Call = Partial<Injected> & {
  readonly as?: string
  readonly body?: string | object | undefined
}

export async function openAdmin(change: Partial<AdminDeps> = {}) {
  const directory = await openDirectory()
  const logged: AdminCall[] = []
  const failures: unknown[] = []
  const routes = adminRoutes({
    directory: directory.store.directory,
    watch: journalWatch(async () => (await directory.store.directory.read(findHead)).number),
    findRepository: repositoryFinder(directory.store.access, () => directory.now),
    policy: { hidePrivateRepositories: false },
    keys: testKeyWork(),
    verifyOwnToken: believed,
    providers: [],
    repositoriesPerNamespace: 10_000,
    clock: () => directory.now,
    randomBytes: pooledRandom(),
    hubTokenPrefix: 'lk_',
    bodyRoom: shares(bodiesWithinHeap()),
    limitChanges: () => undefined,
    clientAddress: () => '127.0.0.1',
    identify: async ({ headers }) => {
      const result = authenticate(headers.authorization)
      return isRefusal(result) ? { result } : { result, caller: result }
    },
    logAdminCall: (call) => logged.push(call),
    ...change,
  })
  const serve = serveRoutes(routes, {
    name: 'hub',
    randomBytes: (length) => Buffer.alloc(length),
    notFound: () => refuse('not_found', 'The hub has no route at this path.'),
    logFailure: (error) => failures.push(error),
  })
  const call = (
    method: string,
    path: string,
    { as = 'all', body, ...more }: Call = {},
  ): Promise<Answered> =>
    inject(serve, {
      method,
      url: `/admin/v1${path}`,
      headers: as === '' ? {} : { authorization: `Bearer ${as}` },
      ...(body === undefined ? {} : { payload: body }),
      ...more,
    })
  return { ...directory, directory, call, logged, failures }
}

function authenticate(header: string | undefined): Caller | Refusal {
  const bearer = readBearer(header === undefined ? [] : [header])
  if (typeof bearer === 'string') return refuse('hub_token_missing', 'No hub token.')
  if (bearer.token === 'flood') {
    return refuse('rate_limited', 'Too many.', { retryAfterSeconds: 7 })
  }
  return callers[bearer.token] ?? refuse('hub_token_invalid', 'No such hub token.')
}

/** Every refusal has the same form, whatever it says. */
export function expectProblem(
  response: Answered,
  code: keyof typeof statusOf,
  more: object = {},
): void {
  const problem = response.json()
  expect(problem).toMatchObject({ code, ...more })
  const { detail, missing, path, next } = problem
  const refusal = refuse(code, detail, { missing, path, next })
  expect(problem).toEqual(JSON.parse(JSON.stringify(problemOf(refusal, requestId))))
  expect(response.statusCode).toBe(statusOf[code])
  expect(response.headers).toMatchObject({
    'content-type': expect.stringMatching(/^application\/problem\+json/),
    'cache-control': 'no-store',
    'x-request-id': requestId,
  })
}
