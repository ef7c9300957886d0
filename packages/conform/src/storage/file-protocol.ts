/** How a storage stores and returns a file: the routes of Latchkey's storage, or a path with a placeholder. */

import { createHash } from 'node:crypto'
import { problemOf } from '../wire/outcome.ts'
import type { HeaderLine, RawResponse } from '../wire/raw-request.ts'

export interface FileProtocol {
  /** The request that stores the file. */
  put(name: string, content: string): FileRequest
  /** The request that reads the file which `put` has stored with this response. */
  get(name: string, content: string, stored: RawResponse): FileRequest
  /** A request that claims another content than it sends, if the routes have one. */
  lie?(content: string): FileRequest
}

export interface FileRequest {
  readonly method?: string
  /** Below the prefix of a repository and ref. */
  readonly path: string
  readonly headers?: readonly HeaderLine[]
  readonly body?: string
}

/** `PUT /v1/files` names the file by its content, in the response. */
export const latchkeyFiles: FileProtocol = {
  put: (_name, content) => ({ method: 'PUT', path: '/v1/files', body: content }),
  get: (_name, _content, stored) => ({ path: `/v1/files/${hashIn(stored)}` }),
  lie: (content) => ({
    ...{ method: 'PUT', path: '/v1/files', body: content },
    headers: [['Repr-Digest', `sha-256=:${digestOf(`not ${content}`).toString('base64')}:`]],
  }),
}

/** The routes are PUT and GET of a path such as `/files/{name}` or `/v1/chunks/{sha256}`. */
export function filesAt(template: string): FileProtocol {
  const pathOf = (name: string, content: string) =>
    template.replace('{name}', name).replace('{sha256}', digestOf(content).toString('hex'))
  return {
    put: (name, content) => ({ method: 'PUT', path: pathOf(name, content), body: content }),
    get: (name, content) => ({ path: pathOf(name, content) }),
    ...(template.includes('{sha256}') && {
      lie: (content: string) => ({
        ...{ method: 'PUT', path: pathOf('', `not ${content}`), body: content },
      }),
    }),
  }
}

function digestOf(content: string): Buffer {
  return createHash('sha256').update(content).digest()
}

function hashIn(stored: RawResponse): string {
  const { hash } = problemOf(stored)
  return typeof hash === 'string' ? hash : 'none'
}
