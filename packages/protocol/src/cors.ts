/** Which other origins may read a service's answers in a browser. */

export interface CorsRules {
  /** `*` opens the answers to every origin; an empty list to none. */
  readonly origins: readonly string[]
  readonly methods: readonly string[]
  /** Headers that a request from another origin may send in addition to the browser's own. */
  readonly requestHeaders: readonly string[]
  /** Headers that a page may read in addition to the browser's own. */
  readonly exposed: readonly string[]
}

export interface Cors {
  /** Header lines for an answer to a request of this origin, name and value in turn. */
  headersFor(origin: string | undefined): readonly string[]
  /** The same for the answer to a preflight. */
  preflightHeadersFor(origin: string | undefined): readonly string[]
}

export function createCors({ origins, methods, requestHeaders, exposed }: CorsRules): Cors {
  if (origins.length === 0) return { headersFor: () => [], preflightHeadersFor: () => [] }
  const any = origins.includes('*')
  const vary = any ? [] : ['Vary', 'Origin']
  const answer = ['Access-Control-Expose-Headers', exposed.join(', ')]
  const preflight = [
    ...['Access-Control-Allow-Methods', methods.join(', ')],
    ...['Access-Control-Allow-Headers', requestHeaders.join(', ')],
    ...['Access-Control-Max-Age', '600'],
  ]
  const headers = (origin: string | undefined, more: readonly string[]): readonly string[] => {
    if (origin === undefined || !(any || origins.includes(origin))) return vary
    return [...vary, 'Access-Control-Allow-Origin', any ? '*' : origin, ...more]
  }
  return {
    headersFor: (origin) => headers(origin, answer),
    preflightHeadersFor: (origin) => headers(origin, preflight),
  }
}

export interface MaybePreflight {
  readonly method: string | undefined
  readonly origin: string | undefined
  /** The value of `Access-Control-Request-Method`. */
  readonly requestMethod: string | undefined
}

export function isPreflight({ method, origin, requestMethod }: MaybePreflight): boolean {
  return method === 'OPTIONS' && origin !== undefined && requestMethod !== undefined
}
