import type { RepoRef } from '@latchkey/protocol'
import { pageUrl } from '../api/addresses-of.ts'

/** A proxy may serve the hub below a path of its own. */
export function basePath(publicUrl: string): string {
  return new URL(publicUrl).pathname.replace(/\/$/, '')
}

export interface RepoHrefs {
  readonly repo: string
  /** A folder of a revision; the top if there is no path. */
  tree(revision: string, path?: string): string
  file(revision: string, path: string): string
  commit(revision: string): string
  /** For everybody who needs no login. */
  resolve(revision: string, path: string): string
  /** For a browser with a session. */
  download(revision: string, path: string): string
}

export function hrefsOf(publicUrl: string, named: RepoRef): RepoHrefs {
  const repo = pageUrl(basePath(publicUrl), named)
  const below = (view: string) => (revision: string, path?: string) => {
    const rest = path === undefined || path === '' ? '' : `/${encodePath(path)}`
    return `${repo}/${view}/${encodeURIComponent(revision)}${rest}`
  }
  const file = below('blob')
  return {
    ...{ repo, tree: below('tree'), file, resolve: below('resolve'), commit: below('commit') },
    download: (revision, path) => `${file(revision, path)}?download=1`,
  }
}

export function encodePath(path: string): string {
  return path.split('/').map(encodeURIComponent).join('/')
}
