/** Finds the row of a table that serves a request, and serves it. Paths are compared raw: the table decodes nothing. */

import type { IncomingMessage, ServerResponse } from 'node:http'
import { answerRefusal, isRefusal, pathOf, type Refusal, refuse } from '@latchkey/protocol'
import { Call, type CallOptions, type Serve } from './call.ts'
import { wantsPlainJson } from './headers.ts'
import { type Html, htmlType, isHtml } from './html.ts'

export interface RouteRow {
  /** GET serves HEAD too; ANY leaves the methods to the handler. */
  readonly method: 'GET' | 'HEAD' | 'POST' | 'PUT' | 'PATCH' | 'DELETE' | 'ANY'
  /**
   * `{name}` stands for one segment that is not empty, `{name...}` at the end for any number of them, also for none.
   * Where several paths match, the one that stands first in the table counts.
   */
  readonly path: string
  /** Decides by the query: a row that it denies is skipped. */
  readonly when?: (target: string) => boolean
  /** The sentence for a method that no row of this path has. */
  readonly wrongMethod?: (allow: string) => string
}

export type RawValues = Readonly<Record<string, string>>

/**
 * Reads what stands raw in place of a name; the segments of `{name...}` come with their slashes. Undefined: the path is
 * none of this row. A refusal counts only once the method fits. A name without a reader keeps its raw text.
 */
export type SegmentReaders<Values> = {
  readonly [Name in keyof Values]?: (raw: string) => Values[Name] | Refusal | undefined
}

export interface FoundRoute<Row, Values> {
  readonly row: Row
  /** Has the names in the path of the row, and no others. */
  readonly values: Values
}

/** Gives undefined for a path without a row, and a refusal for a path without the method. */
export type FindRoute<Row, Values = RawValues> = (
  method: string,
  target: string,
) => FoundRoute<Row, Values> | Refusal | undefined

interface NamedRow<Row> {
  readonly row: Row
  /** By the segment that each stands for; undefined for a segment that is a fixed word. */
  readonly names: readonly (string | undefined)[]
}

/** The rows whose paths differ in names only. */
interface SamePath<Row> {
  readonly words: readonly (string | undefined)[]
  /** Any number of segments may follow. */
  readonly isOpen: boolean
  readonly entries: readonly NamedRow<Row>[]
}

export function routeTable<Row extends RouteRow, Values = RawValues>(
  rows: readonly Row[],
  readers: SegmentReaders<Values> = {},
): FindRoute<Row, Values> {
  const paths = [...Map.groupBy(rows, shapeOf)].map(pathWith)
  // A path of thousands of segments costs no more than the longest row.
  const maxSegments = Math.max(0, ...paths.map(({ words }) => words.length)) + 1
  const byFirstWord = new Map(paths.map(({ words: [first] }) => [first, below(paths, first)]))
  return (method, target) => {
    const path = pathOf(target)
    if (!path.startsWith('/')) return undefined
    const segments = segmentsOf(path, maxSegments)
    const read = ({ names }: NamedRow<Row>) => readValues(names, { path, segments }, readers)
    for (const same of byFirstWord.get(segments[0]) ?? byFirstWord.get(undefined) ?? []) {
      if (!fits(same, segments)) continue
      for (const entry of same.entries) {
        const values = serves(entry.row, method, target) ? read(entry) : undefined
        if (values !== undefined) return isRefusal(values) ? values : { row: entry.row, values }
      }
      const here = same.entries.filter((entry) => read(entry) !== undefined)
      if (here.length > 0) return notAllowed(here, method)
    }
    return undefined
  }
}

function shapeOf({ path }: RouteRow): string {
  return path.replace(/\{\w+/g, '{')
}

function segmentsOf(path: string, max?: number): string[] {
  return path.slice(1).split('/', max)
}

function pathWith<Row extends RouteRow>([shape, rows]: [string, readonly Row[]]): SamePath<Row> {
  const isOpen = shape.endsWith('/{...}')
  const fixed = segmentsOf(shape).slice(0, isOpen ? -1 : undefined)
  const words = fixed.map((word) => (word === '{}' ? undefined : word))
  const nameOf = (segment: string) => /^\{(\w+)/.exec(segment)?.[1]
  const entries = rows.map((row) => ({ row, names: segmentsOf(row.path).map(nameOf) }))
  return { words, isOpen, entries }
}

/** In the order of the table: the paths that a path with this first word can be. */
function below<Row>(paths: readonly SamePath<Row>[], word: string | undefined): SamePath<Row>[] {
  return paths.filter(({ words: [first] }) => first === undefined || first === word)
}

function fits({ words, isOpen }: SamePath<unknown>, segments: readonly string[]): boolean {
  const hasLength = isOpen ? segments.length >= words.length : segments.length === words.length
  const fitsAt = (word: string | undefined, at: number) =>
    word === undefined ? segments[at] !== '' : segments[at] === word
  return hasLength && words.every(fitsAt)
}

function serves({ method: served, when }: RouteRow, method: string, target: string): boolean {
  const isServed = served === method || served === 'ANY' || (served === 'GET' && method === 'HEAD')
  return isServed && (when === undefined || when(target))
}

function readValues<Values>(
  names: NamedRow<unknown>['names'],
  { path, segments }: { readonly path: string; readonly segments: readonly string[] },
  readers: SegmentReaders<Values>,
): Values | Refusal | undefined {
  const values: Record<string, unknown> = {}
  let offset = 1
  for (const [at, name] of names.entries()) {
    const segment = segments[at] ?? ''
    const start = offset
    offset += segment.length + 1
    if (name === undefined) continue
    // At the end, `{name...}` may stand for more or less than one segment.
    const raw = at === names.length - 1 ? path.slice(start) : segment
    const read = readers[name as keyof Values]
    const value: unknown = read === undefined ? raw : read(raw)
    if (value === undefined || isRefusal(value)) return value
    values[name] = value
  }
  return values as Values
}

function notAllowed(here: readonly NamedRow<RouteRow>[], method: string): Refusal {
  const methods = here.flatMap(({ row }) => (row.method === 'GET' ? ['GET', 'HEAD'] : row.method))
  const allow = [...new Set<string>(methods)].join(', ')
  const detail =
    here[0]?.row.wrongMethod?.(allow) ?? `${method} is not allowed here; allowed: ${allow}.`
  return refuse('method_not_allowed', detail, { allow })
}

export interface Route extends RouteRow {
  readonly handle: Handle
  /** Sends the handler's refusals as plain JSON, whatever the client accepts. */
  readonly plainJson?: boolean
}

/** The values are raw segments of the path, by the names that the route's path has for them. */
export type Handle = (call: Call, values: RawValues) => Reply | Refusal | Promise<Reply | Refusal>

export interface Reply {
  /** 200 if not given. */
  readonly status?: number
  /** `application/json` if not given, and never that of a page: a page is `Html`. */
  readonly contentType?: ContentType
  /** `no-store` if not given. */
  readonly cacheControl?: string
  /** Header lines beside those that every answer has, names and values in turn. */
  readonly headers?: readonly string[]
  readonly body: string | Uint8Array | Html
}

export type ContentType = `application/${string}` | `text/plain${string}`

export interface ServeRoutesDeps extends CallOptions {
  /** The answer to a target whose path has no route. */
  readonly notFound: (target: string) => Refusal
  /** Header lines that go with every answer, names and values in turn. */
  readonly headersFor?: (request: IncomingMessage) => readonly string[]
}

export function serveRoutes(routes: readonly Route[], serving: ServeRoutesDeps): Serve {
  const findRoute = routeTable(routes)
  const answer = async (call: Call): Promise<Answer> => {
    const { method = '', url = '' } = call.request
    const found = findRoute(method, url) ?? serving.notFound(url)
    if (isRefusal(found)) return refusalAnswer(found, call)
    const { row, values } = found
    const result = await call.attempt(() => row.handle(call, values))
    return isRefusal(result) ? refusalAnswer(result, call, row) : replyAnswer(result, call)
  }
  return async (request, response) => {
    const call = new Call(response, serving)
    try {
      send(response, await answer(call), serving.headersFor?.(request))
    } catch (error) {
      // An answer that cannot be sent costs one connection, not the process.
      serving.logFailure(error, call.requestId)
      response.destroy()
    }
  }
}

interface Answer {
  readonly status: number
  readonly headers: readonly string[]
  readonly body: string | Uint8Array
  readonly endsConnection?: boolean
}

function replyAnswer(reply: Reply, { requestId }: Call): Answer {
  const { status = 200, contentType = 'application/json', cacheControl = 'no-store' } = reply
  const [body, type] = isHtml(reply.body)
    ? [reply.body.markup, htmlType]
    : [reply.body, contentType]
  const headers = [
    ...['Content-Type', type],
    ...['Content-Length', String(Buffer.byteLength(body))],
    ...['X-Request-Id', requestId],
    ...['Cache-Control', cacheControl],
    ...(reply.headers ?? []),
  ]
  return { status, headers, body }
}

const leavesBody: readonly string[] = ['body_too_large', 'request_timeout']

function refusalAnswer(
  refusal: Refusal,
  { request, requestId }: Call,
  { plainJson = false }: Partial<Route> = {},
): Answer {
  const isPlain = plainJson || wantsPlainJson(request.headers.accept)
  // The rest of a body that is not read to its end would be taken for the next request.
  const isReadInPart = request.readableDidRead && !request.complete
  const endsConnection = isReadInPart || leavesBody.includes(refusal.code)
  return { ...answerRefusal(refusal, { requestId, plainJson: isPlain }), endsConnection }
}

function send(
  response: ServerResponse,
  { status, headers, body, endsConnection = false }: Answer,
  more: readonly string[] = [],
): void {
  if (endsConnection) response.shouldKeepAlive = false
  response.writeHead(status, [...headers, ...more])
  response.end(body)
}
