import { nextSlice } from '@latchkey/service/limits/slices'
import type { ListedEntry, ObjectHash, Repository } from '../git/index.ts'
import { maxPointerBytes, minPointerBytes, type Pointer, parsePointer } from '../words/pointer.ts'

export interface DescribedFile {
  readonly type: 'file' | 'directory'
  readonly oid: ObjectHash
  readonly size: number
  readonly path: string
  /** Under which the storage has a large file. */
  readonly xetHash?: string
  readonly lfs?: { readonly oid: string; readonly size: number; readonly pointerSize: number }
}

/** Other requests have their turn between them. */
const filesAtOnce = 1000

export async function describeFiles(
  repository: Repository,
  entries: readonly ListedEntry[],
): Promise<readonly DescribedFile[]> {
  const described: DescribedFile[] = []
  for (let at = 0; at < entries.length; at += filesAtOnce) {
    if (at > 0) await nextSlice()
    const group = entries.slice(at, at + filesAtOnce)
    const infos = await repository.infoOf(group.filter(isFile).map(({ hash }) => hash))
    const sizes = new Map(infos.map((info) => [info?.hash, info?.size ?? 0]))
    for (const entry of group) {
      const size = isFile(entry) ? (sizes.get(entry.hash) ?? 0) : 0
      described.push(await describe(repository, entry, size))
    }
  }
  return described
}

async function describe(
  repository: Repository,
  entry: ListedEntry,
  size: number,
): Promise<DescribedFile> {
  const { path, hash: oid } = entry
  if (entry.kind === 'folder') return { type: 'directory', oid, size: 0, path }
  const pointer = entry.kind === 'file' ? await pointerAt(repository, oid, size) : undefined
  if (pointer === undefined) return { type: 'file', oid, size, path }
  const lfs = { oid: pointer.oid, size: pointer.sizeBytes, pointerSize: size }
  return { type: 'file', oid, size: pointer.sizeBytes, path, lfs }
}

/** The large file that a small one in git stands for. */
export async function pointerAt(
  repository: Repository,
  hash: ObjectHash,
  size: number,
): Promise<Pointer | undefined> {
  if (size < minPointerBytes || size > maxPointerBytes) return undefined
  const blob = await repository.readObject(hash, maxPointerBytes)
  return blob && parsePointer(blob.bytes)
}

function isFile({ kind }: ListedEntry): boolean {
  return kind === 'file' || kind === 'symlink'
}
