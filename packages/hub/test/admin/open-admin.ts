/** The admin API over a directory of its own, called without a socket. */

import { problemOf, type Refusal, readBearer, refuse, statusOf } from '@latchkey/protocol'
import { pooledRandom } from '@latchkey/service/random'
import type { InjectOptions, LightMyRequestResponse } from 'fastify'
import { expect } from 'vitest'
import type { AdminPorts } from '../../src/admin/ports.ts'
import { registerAdmin } from '../../src/admin/register-admin.ts'
import { hubCors } from '../../src/http/cors.ts'
import { createApp } from '../../src/http/create-app.ts'
import type { Caller } from '../../src/identity/caller.ts'
import type { AdminCall } from '../../src/operations/admin-call.ts'
import { administrator, openDirectory } from '../directory/open-directory.ts'

/** The id of every request here: without chance, all ids are the same. */
export const requestId = 'a'.repeat(26)

/** What each bearer of these tests stands for. */
const callers: Readonly<Record<string, Caller>> = {
  all: administrator(),
  accounts: administrator(['account']),
  applies: administrator(['apply']),
  write: { ...administrator(), kind: 'write' },
  fallen: { ...administrator(), administrator: false },
}

type Call = Omit<InjectOptions, 'body'> & { readonly as?: string; readonly body?: unknown }

export function openAdmin(change: Partial<AdminPorts> = {}) {
  const directory = openDirectory()
  const logged: AdminCall[] = []
  const failures: unknown[] = []
  const app = createApp({
    randomBytes: (length) => Buffer.alloc(length),
    cors: hubCors([], false),
    log: () => {},
  })
  registerAdmin(app, {
    directory: directory.store.directory,
    findRepository: directory.store.findRepository,
    policy: { hidePrivateRepositories: false },
    clock: () => directory.now,
    randomBytes: pooledRandom(),
    hubTokenPrefix: 'lk_',
    authenticate: async ({ headers }) => authenticate(headers.authorization),
    logAdminCall: (call) => logged.push(call),
    logFailure: (error) => failures.push(error),
    ...change,
  })
  const call = (
    method: InjectOptions['method'],
    path: string,
    { as = 'all', body, ...more }: Call = {},
  ): Promise<LightMyRequestResponse> =>
    app.inject({
      method: method ?? 'GET',
      url: `/admin/v1${path}`,
      headers: as === '' ? {} : { authorization: `Bearer ${as}` },
      ...(body === undefined ? {} : { payload: body as object }),
      ...more,
    })
  return { ...directory, directory, app, call, logged, failures }
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
  response: LightMyRequestResponse,
  code: keyof typeof statusOf,
  more: object = {},
): void {
  const problem = response.json()
  expect(problem).toMatchObject({ code, ...more })
  const { detail, missing, path } = problem
  const refusal = refuse(code, detail, { missing, path })
  expect(problem).toEqual(JSON.parse(JSON.stringify(problemOf(refusal, requestId))))
  expect(response.statusCode).toBe(statusOf[code])
  expect(response.headers).toMatchObject({
    'content-type': expect.stringMatching(/^application\/problem\+json/),
    'cache-control': 'no-store',
    'x-request-id': requestId,
  })
}
