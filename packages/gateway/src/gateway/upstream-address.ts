/** The storage behind a gateway: where to connect, and below which path it keeps what a grant opens. */

import type { Grant, Isolation } from '@latchkey/gate'
import { isCasUrl } from '@latchkey/protocol'
import { CannotStart } from '@latchkey/service/machine/errors'

export interface UpstreamAddress {
  readonly origin: string
  /** A socket of this machine, in place of a port. */
  readonly socketPath: string | undefined
  basePathOf(grant: Grant): string
}

/** `unix:SOCKET`, or `unix:SOCKET:/path`. */
const socketForm = /^unix:(\/[^\0:]+)(?::(\/.*))?$/

/** A storage that keeps objects by their path alone keeps repositories apart only if the path names them. */
export function upstreamAddress(
  upstream: string,
  isolation: Isolation | undefined,
): UpstreamAddress {
  const [, socketPath, path = ''] = socketForm.exec(upstream) ?? []
  const url = socketPath === undefined ? upstream : `http://localhost${path}`
  if (!isCasUrl(url)) {
    throw new CannotStart(
      `upstream: ${JSON.stringify(upstream)} is not allowed; give an http or https URL without trailing slash, query or fragment, with {repo} and {ref} at most once each, or unix:SOCKET:/path`,
    )
  }
  const { origin } = new URL(url)
  const segments = url.slice(origin.length).split('/')
  if (segments.some((part) => /[{}]/.test(part) && !isPlaceholder(part))) {
    throw new CannotStart(
      'upstream: {repo} and {ref} must each be a whole segment, as in http://127.0.0.1:9000/bucket/{repo}/{ref}',
    )
  }
  const namesBoth = segments.includes('{repo}') && segments.includes('{ref}')
  if (isolation === undefined && !namesBoth) throw nothingIsolates(upstream, socketPath, path)
  return { origin, socketPath, basePathOf: fill(segments) }
}

function isPlaceholder(segment: string): boolean {
  return segment === '{repo}' || segment === '{ref}'
}

function fill(segments: readonly string[]): (grant: Grant) => string {
  const fixed = segments.join('/')
  if (!segments.some(isPlaceholder)) return () => fixed
  return ({ repositoryUid, refUid }) =>
    fixed.replace(/\{\w+\}/g, (name) => segmentOf(name === '{repo}' ? repositoryUid : refUid))
}

/**
 * Security boundary: an id never leaves its segment, and no two ids have the same one. The ids of a hub are letters, digits
 * and dots; another issuer may make ids of any form.
 */
function segmentOf(uid: string): string {
  return uid === '.' || uid === '..' ? `=${uid}` : encodeURIComponent(uid.toWellFormed())
}

function nothingIsolates(
  upstream: string,
  socketPath: string | undefined,
  path: string,
): CannotStart {
  const before = socketPath !== undefined && path === '' ? `${upstream}:` : upstream
  const proposal = `${before.replaceAll(/\/\{\w+\}/g, '')}/{repo}/{ref}`
  return new CannotStart(
    `upstream: ${upstream} does not name repository and ref, so a token of one repository could read what another one has stored. Write --upstream '${proposal}'; or say --isolation upstream (the storage tells repositories and refs apart by the identity headers) or --isolation none (there is one tenant)`,
  )
}
