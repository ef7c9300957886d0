/** Routes of a storage that need no token, and the requests that are for them. */

import {
  type NormalPath,
  type OptionTypes,
  parseNormalPath,
  type RequiredScope,
  refuseOptions,
} from '@latchkey/protocol'
import { CannotStart } from '@latchkey/service/machine/errors'
import type { ReadRequest } from '../request/read-request.ts'

/** A route that everyone may use without a token. */
export interface PublicRoute {
  /**
   * The whole path as clients send it: `/healthz`. `/**` at the end stands for one or more segments, none of which has a
   * percent sign.
   */
  readonly path: string
  /**
   * In upper case. A method that needs a write token cannot be public.
   *
   * @default ['GET', 'HEAD']
   */
  readonly methods?: readonly string[]
}

const types: OptionTypes<PublicRoute> = { path: 'string', methods: 'object' }

/** Security boundary: what it takes for public reaches the handler without a token. */
export type IsPublic = (request: ReadRequest) => boolean

/** `casUrl` is undefined if a rule of the storage finds repository and ref. */
export function publicRoutes(
  routes: readonly PublicRoute[],
  scopeWanted: RequiredScope,
  casUrl: string | undefined,
): IsPublic {
  const matchers = routes.map((route) => matcherOf(route, scopeWanted, casUrl))
  return ({ method, path }) =>
    matchers.some((matches) => matches(method, path)) && scopeWanted(method, path) === 'read'
}

type Matcher = (method: string, path: NormalPath) => boolean

function matcherOf(
  route: PublicRoute,
  scopeWanted: RequiredScope,
  casUrl: string | undefined,
): Matcher {
  refuseOptions('a public route', route, types, CannotStart)
  const { path, methods = ['GET', 'HEAD'] } = route
  const [fixed, isOpen] = fixedPart(path)
  refuseMethods(route, methods)
  const writing = methods.find((method) => scopeWanted(method, fixed) === 'write')
  if (writing !== undefined) {
    throw wrongRoute(path, `${writing} needs a write token there; make it public for reads only`)
  }
  if (casUrl !== undefined && isBelowPrefix(fixed, isOpen, casUrl)) {
    throw wrongRoute(path, `casUrl puts content of repositories there; give a path outside of it`)
  }
  const isInside = (requestPath: string) =>
    requestPath.startsWith(`${fixed}/`) && plainSegments.test(requestPath.slice(fixed.length))
  const matchesPath = isOpen ? isInside : (requestPath: string) => requestPath === fixed
  return (method, requestPath) => methods.includes(method) && matchesPath(requestPath)
}

/** Routers read encoded characters in different ways, so an open path matches none of them. */
const plainSegments = /^(?:\/[^/%]+)+$/

/** The path without `/**`, and whether it had that. */
function fixedPart(path: unknown): readonly [fixed: NormalPath, isOpen: boolean] {
  const text = String(path)
  const isOpen = text.endsWith('/**')
  const fixed = parseNormalPath(isOpen ? text.slice(0, -3) : text)
  if (fixed === undefined || fixed.includes('*') || (isOpen && fixed === '/')) {
    throw wrongRoute(
      path,
      'give one path in its normal form, such as /healthz, or /** after at least one segment',
    )
  }
  return [fixed, isOpen]
}

function refuseMethods({ path }: PublicRoute, methods: unknown): void {
  const isRight =
    Array.isArray(methods) &&
    methods.length > 0 &&
    methods.every((method) => typeof method === 'string' && /^[A-Z]+(?:-[A-Z]+)*$/.test(method))
  if (!isRight) throw wrongRoute(path, 'give its methods as a list in upper case, such as GET')
}

/** Whether a path of the route could name a repository or a ref by the prefix. */
function isBelowPrefix(fixed: NormalPath, isOpen: boolean, casUrl: string): boolean {
  const { origin } = new URL(casUrl)
  const prefix = casUrl.slice(origin.length).split('/').slice(1)
  if (!prefix.some(isPlaceholder)) return false
  const segments = fixed.split('/').slice(1)
  const isLongEnough = isOpen || segments.length >= prefix.length
  return (
    isLongEnough &&
    prefix.every((part, index) => {
      const segment = segments[index]
      return segment === undefined || segment === part || isPlaceholder(part)
    })
  )
}

function isPlaceholder(part: string): boolean {
  return part === '{repo}' || part === '{ref}'
}

function wrongRoute(path: unknown, advice: string): CannotStart {
  return new CannotStart(
    `publicRoutes: ${JSON.stringify(path)} cannot be a public route: ${advice}`,
  )
}
