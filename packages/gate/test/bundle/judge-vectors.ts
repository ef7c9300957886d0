/** Judges the vectors with a gate: on any runtime, so it imports types alone. */

import type { Admission, CheckResult, Gate, Grant, Row } from '@latchkey/gate'
import type { Jwks } from '@latchkey/token'

type Library = Pick<
  typeof import('@latchkey/gate'),
  'createGate' | 'guardFetch' | 'readKeySet' | 'rowFor' | 'visible'
>

/** The files, by their names without `.json`. */
export interface Documents {
  readonly tokens: Setting & {
    readonly audience: string
    readonly cases: readonly { name: string; token: string; accepted: boolean; reason?: string }[]
  }
  readonly requests: Setting & {
    readonly casUrl: string
    readonly audience: string
    readonly places: Readonly<Record<string, string>>
    readonly tokens: Readonly<Record<string, string | null>>
    readonly grants: Readonly<Record<string, object>>
    readonly matrix: readonly (readonly [string, string, string, string, number, string | null])[]
    readonly requests: readonly SingleRequest[]
  }
  readonly 'scope-rules': {
    readonly paths: readonly { path: string; normal: boolean }[]
    readonly scopes: readonly { method: string; path: string; wants: string }[]
  }
  readonly visibility: {
    readonly rows: readonly { name: string; grant: Grant; nowMilliseconds: number; row: Row }[]
    readonly visible: readonly { name: string; grant: Grant; row: Row; visible: boolean }[]
  }
}

interface Setting {
  readonly issuer: string
  readonly now: number
  readonly leewaySeconds: number
  readonly jwks: Jwks
}

interface SingleRequest {
  readonly name: string
  readonly method: string
  readonly target: string
  readonly headers: readonly (readonly [string, string])[]
  readonly body?: string
  readonly status: number
  readonly code: string | null
  readonly grant?: string
  readonly gets?: string
  readonly notThrough?: Readonly<Record<string, string>>
}

/** `complaints` names each case that the gate decides otherwise. */
export interface Judgement {
  /** The methods that a `Request` of this runtime does not take. */
  readonly impossibleMethods?: readonly string[]
  readonly judged: Readonly<Record<string, number>>
  readonly complaints: readonly string[]
}

export async function judgeVectors(library: Library, documents: Documents): Promise<Judgement> {
  const { tokens, requests, 'scope-rules': scopeRules, visibility } = documents
  const requestSetting = await requestsOf(library, requests)
  const complaints: Record<string, readonly (string | undefined)[]> = {
    tokens: await tokenComplaints(library, tokens),
    matrix: await each(requestSetting.matrix, (one) => checkComplaint(requestSetting.gate, one)),
    requests: await each(requestSetting.single, (one) => checkComplaint(requestSetting.gate, one)),
    fetch: await fetchComplaints(library, requestSetting),
    paths: await pathComplaints(library, requests, scopeRules),
    scopes: await scopeComplaints(library, requests, scopeRules),
    visibility: visibilityComplaints(library, visibility),
  }
  const judged = Object.entries(complaints).map(([name, list]) => [name, list.length] as const)
  const found = Object.entries(complaints).flatMap(([name, list]) =>
    list.flatMap((one) => (one === undefined ? [] : [`${name}: ${one}`])),
  )
  const impossible = possibleIn(requests.requests).filter((one) => requestOf(one) === undefined)
  const impossibleMethods = [...new Set(impossible.map(({ method }) => method))]
  return { judged: Object.fromEntries(judged), complaints: found, impossibleMethods }
}

async function each<One>(
  all: readonly One[],
  complaintOf: (one: One) => Promise<string | undefined>,
): Promise<readonly (string | undefined)[]> {
  const found: (string | undefined)[] = []
  for (const one of all) found.push(await complaintOf(one))
  return found
}

function compared(name: string, decision: unknown, expected: unknown): string | undefined {
  const [one, other] = [decision, expected].map((value) => JSON.stringify(value))
  return one === other ? undefined : `${name}: ${one} instead of ${other}`
}

async function tokenComplaints(
  { createGate, readKeySet }: Library,
  { issuer, audience, leewaySeconds, now, jwks, cases }: Documents['tokens'],
): Promise<readonly (string | undefined)[]> {
  const gate = createGate({
    ...{ keys: await readKeySet(jwks), issuer, audience, leewaySeconds, isolation: 'none' },
    ...{ clock: () => now, failuresPerMinute: 0 },
  })
  return each(cases, async ({ name, token, accepted, reason }) => {
    const verified = await gate.verifyToken(token, undefined)
    const decision = 'code' in verified ? [false, verified.reason] : [true, undefined]
    return compared(name, decision, [accepted, reason])
  })
}

interface Decided extends SingleRequest {
  readonly expected: unknown
}

interface RequestSetting {
  readonly gate: Gate
  readonly matrix: readonly Decided[]
  readonly single: readonly Decided[]
}

async function requestsOf(
  { createGate, readKeySet }: Library,
  document: Documents['requests'],
): Promise<RequestSetting> {
  const { issuer, casUrl, leewaySeconds, now, jwks, places, tokens, grants } = document
  const gate = createGate({
    ...{ keys: await readKeySet(jwks), issuer, casUrl, leewaySeconds },
    ...{ clock: () => now, failuresPerMinute: 0 },
  })
  const filled = (text: string) =>
    text.replace(/<([^<>]+)>/g, (_, name: string) => tokens[name] ?? `no token ${name}`)
  const matrix = document.matrix.map((row) => {
    const [token, method, place, path, status, code] = row
    const text = tokens[token] ?? null
    const headers = text === null ? [] : [['Authorization', `Bearer ${text}`] as const]
    const expected = code ?? { ...grants[token], gets: path || '/' }
    const target = `${places[place]}${path}`
    return { name: JSON.stringify(row), method, target, headers, status, code, expected }
  })
  const single = document.requests.map((request) => ({
    ...request,
    target: filled(request.target),
    headers: request.headers.map(([name, value]) => [name, filled(value)] as const),
    expected: request.code ?? { ...grants[request.grant ?? ''], gets: request.gets },
  }))
  return { gate, matrix, single }
}

async function checkComplaint(gate: Gate, one: Decided): Promise<string | undefined> {
  const { name, method, target, headers, expected } = one
  const checked = await gate.check({ method, target, headers: headers.flat() })
  return compared(name, decisionOf(checked), expected)
}

function decisionOf(checked: CheckResult): unknown {
  return checked.ok ? seenBy(checked) : checked.refusal.code
}

function seenBy({ grant, path, query }: Admission): object {
  const { scope, repository, repositoryUid, ref, refUid, subject } = grant
  return { scope, repository, repositoryUid, ref, refUid, subject, gets: path + query }
}

/** The same requests as the runtime's own `Request` and `Response`. */
function fetchComplaints(
  { guardFetch }: Library,
  { gate, single }: RequestSetting,
): Promise<readonly (string | undefined)[]> {
  const guarded = guardFetch(gate, (_, admitted) => Response.json(seenBy(admitted)))
  return each(possibleIn(single), async (one) => {
    const { name, status, expected } = one
    const request = requestOf(one)
    if (request === undefined) return undefined
    const response = await guarded(request)
    const { code, ...seen } = (await response.json()) as { readonly code?: string }
    return compared(name, [response.status, code ?? seen], [status, expected])
  })
}

function possibleIn<One extends SingleRequest>(requests: readonly One[]): readonly One[] {
  return requests.filter(({ notThrough = {} }) => notThrough['fetch'] === undefined)
}

/** Undefined if the `Request` of this runtime does not take the method, or puts another in its place. */
function requestOf({ method, target, headers, body }: SingleRequest): Request | undefined {
  const pairs = headers.map(([header, value]): [string, string] => [header, value])
  const init = { method, headers: pairs, ...(body === undefined ? {} : { body }) }
  try {
    const request = new Request(`https://cas.example${target}`, init)
    return request.method === method ? request : undefined
  } catch {
    return undefined
  }
}

/** A gate whose requests all have the path that the test says. */
async function gateAt(
  { createGate, readKeySet }: Library,
  { issuer, audience, leewaySeconds, now, jwks, tokens, grants }: Documents['requests'],
): Promise<(method: string, path: string) => Promise<CheckResult>> {
  const { repositoryUid, refUid } = grants['write'] as Grant
  let path = ''
  const gate = createGate({
    ...{ keys: await readKeySet(jwks), issuer, audience, leewaySeconds },
    ...{ clock: () => now, locate: () => ({ repositoryUid, refUid, path }) },
  })
  const headers = ['Authorization', `Bearer ${tokens['write']}`]
  return (method, nextPath) => {
    path = nextPath
    return gate.check({ method, target: '/x', headers })
  }
}

async function pathComplaints(
  library: Library,
  requests: Documents['requests'],
  { paths }: Documents['scope-rules'],
): Promise<readonly (string | undefined)[]> {
  const check = await gateAt(library, requests)
  return each(paths, async ({ path, normal }) =>
    compared(path, (await check('GET', path)).ok, normal),
  )
}

async function scopeComplaints(
  library: Library,
  requests: Documents['requests'],
  { scopes }: Documents['scope-rules'],
): Promise<readonly (string | undefined)[]> {
  const check = await gateAt(library, requests)
  return each(scopes, async ({ method, path, wants }) => {
    const checked = await check(method, path)
    return compared(`${method} ${path}`, checked.ok ? checked.requiredScope : checked, wants)
  })
}

function visibilityComplaints(
  { rowFor, visible }: Library,
  { rows, visible: reads }: Documents['visibility'],
): readonly (string | undefined)[] {
  return [
    ...rows.map(({ name, grant, nowMilliseconds, row }) => {
      const { repositoryUid, refUid, writtenAt } = row
      return compared(name, rowFor(grant, nowMilliseconds), { repositoryUid, refUid, writtenAt })
    }),
    ...reads.map((one) => compared(one.name, visible(one.grant, one.row), one.visible)),
  ]
}
