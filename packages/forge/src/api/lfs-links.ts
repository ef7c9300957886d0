/** Addresses that git-lfs gets for large files. Each carries its own proof. */

import type { IssuedStorageToken } from '@latchkey/admin-api/forge-port'
import { type RepoRef, type UnixSeconds, unixSeconds } from '@latchkey/protocol'
import type { ForgeDeps } from '../handler/exchange.ts'
import type { LargeObject } from '../large-files/find-objects.ts'
import {
  closeDownload,
  closeUpload,
  type DownloadProof,
  maxLifeSeconds,
  type UploadProof,
} from '../large-files/proof.ts'
import { pageUrl } from './addresses-of.ts'

interface LinkedObject extends LargeObject {
  readonly repo: RepoRef
}

type Linking = Pick<ForgeDeps, 'seal' | 'clock' | 'publicUrl'>

/** An action says all: git-lfs asks for no password. */
interface Link {
  readonly authenticated: true
  readonly actions: Readonly<Record<string, Action>>
}

interface Action {
  readonly href: string
  readonly header?: Readonly<Record<string, string>>
  readonly expires_in: number
}

/** In the header that programs know to keep secret. No hub token is sent so. */
export const proofScheme = 'LFS-Proof'

export function downloadLink(
  { seal, clock, publicUrl }: Linking,
  { repo, oid, size }: LinkedObject,
  { hash, token }: Pick<DownloadProof, 'hash'> & { readonly token: IssuedStorageToken },
): Link {
  const { expiresAt, expires_in } = lifeOf(token, clock())
  const proof = closeDownload(seal, { repo, oid }, { hash, size, token, expiresAt })
  const href = `${objectUrl(publicUrl, { repo, oid })}?proof=${proof}`
  return { authenticated: true, actions: { download: { href, expires_in } } }
}

export function uploadLink(
  { seal, clock, publicUrl }: Linking,
  { repo, oid, size }: LinkedObject,
  { account, token }: Pick<UploadProof, 'account'> & { readonly token: IssuedStorageToken },
): Link {
  const { expiresAt, expires_in } = lifeOf(token, clock())
  const proof = closeUpload(seal, { repo, oid }, { account, size, token, expiresAt })
  const url = objectUrl(publicUrl, { repo, oid })
  const upload = { href: `${url}?proof=${proof}`, expires_in }
  // Clients print the addresses of requests that fail, and send this header where they are told to.
  const header = { Authorization: `${proofScheme} ${proof}` }
  const verify = { href: `${url}/verify`, header, expires_in }
  return { authenticated: true, actions: { upload, verify } }
}

function objectUrl(publicUrl: string, { repo, oid }: Omit<LinkedObject, 'size'>): string {
  return `${pageUrl(publicUrl, repo)}.git/info/lfs/objects/${oid}`
}

function lifeOf(token: IssuedStorageToken, now: UnixSeconds) {
  const expiresAt = unixSeconds(Math.min(token.expiresAt, now + maxLifeSeconds))
  return { expiresAt, expires_in: Math.max(1, expiresAt - now) }
}
