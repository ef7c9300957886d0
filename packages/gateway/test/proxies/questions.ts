/** What Traefik and Envoy send to a forward-auth endpoint about a request, with the shipped configurations. */

import type { Asking } from '@latchkey/testing/http/ask'

export type Question = (asked: Asking) => Asking

/** Traefik asks with GET and names the request in headers; those of the client come along. */
const traefik: Question = ({ method = 'GET', path, headers = [] }) => ({
  path: '/',
  headers: [
    ...['User-Agent', 'client/1.0'],
    ...headers,
    ...['X-Forwarded-For', '203.0.113.7', 'X-Forwarded-Host', 'cas.example'],
    ...['X-Forwarded-Method', method, 'X-Forwarded-Port', '443', 'X-Forwarded-Proto', 'https'],
    ...['X-Forwarded-Server', 'proxy', 'X-Forwarded-Uri', path, 'X-Real-Ip', '203.0.113.7'],
    ...['Accept-Encoding', 'gzip'],
  ],
})

/** Envoy asks with the method and path of the request, no body, and only the headers that its configuration allows. */
const envoy: Question = ({ method = 'GET', path, headers = [] }) => ({
  method,
  path,
  headers: [
    ...headers,
    ...['content-length', '0', 'x-forwarded-for', '203.0.113.7', 'x-envoy-internal', 'true'],
    ...['x-envoy-expected-rq-timeout-ms', '10000'],
  ],
})

export const questions = { traefik, envoy }
