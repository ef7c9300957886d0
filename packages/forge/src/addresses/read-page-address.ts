/** The addresses of a repository's pages and files, outside `/api`. */

import { isRefusal, type Refusal, type Revision } from '@latchkey/protocol'
import type { FilePath } from '../words/file-path.ts'
import { byMethod, type Later } from './by-method.ts'
import { type NamedRepo, namedRepo, withoutNamespace } from './named-repo.ts'
import { readRepoPrefix } from './repo-prefix.ts'
import { type RevisionAndPath, readRevision, readRevisionAndPath } from './revision-and-path.ts'
import { segmentsOf } from './segments.ts'
import { findUnserved, unservedAt, unservedViews } from './unserved.ts'

export type PageAddress =
  | (NamedRepo & { readonly view: 'repo' })
  | (NamedRepo & { readonly view: FolderView } & RevisionAndPath)
  | (NamedRepo & { readonly view: FileView; readonly revision: Revision; readonly path: FilePath })

export const folderViews = ['tree', 'commits', 'commit'] as const
export const fileViews = ['resolve', 'raw', 'blob'] as const

type FolderView = (typeof folderViews)[number]
type FileView = (typeof fileViews)[number]

/** Undefined when it is no page of a repository. */
export function readPageAddress(
  method: string,
  target: string,
): PageAddress | Later | Refusal | undefined {
  const unserved = findUnserved(segmentsOf(target) ?? [])
  if (unserved !== undefined) return unserved
  const prefix = readRepoPrefix(target)
  if (prefix === undefined) return undefined
  const [namespace = '', name, view, ...rest] = prefix.words
  // `/acme` is no repository of any type; `/datasets/acme` looks like one.
  if (name === undefined) return prefix.type === 'model' ? undefined : withoutNamespace(namespace)
  const unservedView = unservedAt(unservedViews, view)
  if (unservedView !== undefined) return unservedView
  if (view !== undefined && !isView(view)) {
    return isView(name) ? withoutNamespace(namespace) : undefined
  }
  const named = namedRepo(prefix.type, namespace, name)
  const page = named && readView(named, view, rest)
  return page === undefined || isRefusal(page) ? page : byMethod(method, { GET: page })
}

function readView(
  named: NamedRepo,
  view: FolderView | FileView | undefined,
  rest: readonly string[],
): PageAddress | Refusal | undefined {
  if (view === undefined) return { ...named, view: 'repo' }
  if (view === 'commit') {
    const revision = readRevision(rest)
    return revision && { ...named, view, revision, path: undefined }
  }
  const read = readRevisionAndPath(rest)
  if (read === undefined || isRefusal(read)) return read
  if (isFolderView(view)) return { ...named, view, ...read }
  const { revision, path } = read
  return path === undefined ? undefined : { ...named, view, revision, path }
}

function isView(word: string): word is FolderView | FileView {
  return isFolderView(word) || (fileViews as readonly string[]).includes(word)
}

function isFolderView(word: string): word is FolderView {
  return (folderViews as readonly string[]).includes(word)
}
