/** How many parameters a model has, from the headers of its safetensors files. */

import type { CallerQuestions, IssuedStorageToken } from '@latchkey/admin-api/forge-port'
import { isRefusal } from '@latchkey/protocol'
import { GrowingCache } from '@latchkey/service/limits/cache'
import type { AskStorage } from '../large-files/ask-storage.ts'
import type { DescribedFile } from '../large-files/describe-files.ts'
import type { FilledRevision } from '../large-files/open-revision.ts'
import { parseLfsOid } from '../words/pointer.ts'
import { maxHeaderBytes, type ParameterCounts, readCounts, sumOf } from './safetensors-header.ts'

export interface ModelParameters {
  readonly parameters: ParameterCounts
  readonly total: number
}

export type CountParameters = (
  opened: FilledRevision,
  files: readonly DescribedFile[],
  context: { readonly hub: Pick<CallerQuestions, 'storageToken'>; readonly signal: AbortSignal },
) => Promise<ModelParameters | undefined>

const maxFiles = 64
const maxRemembered = 50_000
/** Files whose headers are read at the same time for one request. The storage bounds what an account has under way. */
const atATime = 4
const usualPatienceMs = 5000

/** The counts of a file without a readable header. */
const noCounts: ParameterCounts = Object.freeze({})

/**
 * A header is remembered for the account and repository that it was read for: anyone who knows a SHA-256 can write a pointer,
 * and learns from another account's answer not even that the content exists.
 */
export function parameterCounts(
  storage: Pick<AskStorage, 'find' | 'read'>,
  { patienceMs = usualPatienceMs }: { readonly patienceMs?: number } = {},
): CountParameters {
  const cache = new GrowingCache<string, ParameterCounts>({ most: maxRemembered })
  return async (opened, files, { hub, signal: gone }) => {
    const weights = weightsAmong(files)
    if (weights.length === 0 || weights.length > maxFiles) return undefined
    const { accountId, repositoryUid, repo } = opened.permitted
    const signal = AbortSignal.any([gone, AbortSignal.timeout(patienceMs)])
    // By the commit, as large files are read.
    const revision = { kind: 'commit', hash: opened.commit } as const
    let token: Promise<IssuedStorageToken | undefined> | undefined
    const tokenOnce = () => {
      token ??= hub
        .storageToken({ repo, revision, scope: 'read' })
        .then((one) => (isRefusal(one) ? undefined : one))
      return token
    }
    const countsOf = async (file: DescribedFile) => {
      const key = `${repositoryUid} ${accountId} ${file.oid}`
      const found = cache.get(key)
      if (found !== undefined) return found
      const content = await contentOf(file, { opened, storage, tokenOnce, signal })
      if (content === undefined) return undefined
      const counts = (await readCounts(content)) ?? noCounts
      cache.set(key, counts)
      return counts
    }
    const all: (ParameterCounts | undefined)[] = weights.map(() => undefined)
    const waiting = weights.entries()
    const work = async () => {
      for (const [at, file] of waiting) {
        const counts = await countsOf(file)
        all[at] = counts
        // One that does not tell makes the others useless.
        if (counts === undefined || counts === noCounts) return
      }
    }
    try {
      await Promise.all(Array.from({ length: atATime }, work))
      return added(all)
    } catch (error) {
      // A storage that breaks off, or takes too long, leaves the number out.
      if (gone.aborted) throw error
      return undefined
    }
  }
}

/** The files of one model: not those of an adapter or an optimizer beside it. */
function weightsAmong(files: readonly DescribedFile[]): readonly DescribedFile[] {
  const all = files.filter(({ path }) => /^[^/]+\.safetensors$/.test(path))
  const own = all.filter(({ path }) => /^model(?:-\d+-of-\d+)?\.safetensors$/.test(path))
  return own.length > 0 ? own : all
}

interface Around {
  readonly opened: FilledRevision
  readonly storage: Pick<AskStorage, 'find' | 'read'>
  readonly tokenOnce: () => Promise<IssuedStorageToken | undefined>
  readonly signal: AbortSignal
}

/** Undefined where the storage does not show the file now. */
async function contentOf(
  { oid: blob, size, lfs }: DescribedFile,
  { opened, storage, tokenOnce, signal }: Around,
): Promise<AsyncIterable<Uint8Array> | undefined> {
  const range = { start: 0, end: Math.min(size, maxHeaderBytes + 8) }
  if (lfs === undefined) {
    const open = await opened.repository.streamBlob(blob, { range, signal })
    return open?.bytes()
  }
  const [token, oid] = [await tokenOnce(), parseLfsOid(lfs.oid)]
  if (token === undefined || oid === undefined) return undefined
  const hash = await storage.find(token, { oid, sizeBytes: size }, { signal })
  if (hash === undefined || isRefusal(hash)) return undefined
  const content = await storage.read(token, hash, { range, signal })
  return isRefusal(content) ? undefined : content
}

/** Undefined unless every file has told: a part would be taken for the whole. */
function added(all: readonly (ParameterCounts | undefined)[]): ModelParameters | undefined {
  const parameters: Record<string, number> = {}
  for (const counts of all) {
    if (counts === undefined || counts === noCounts) return undefined
    for (const [type, count] of Object.entries(counts)) {
      parameters[type] = (parameters[type] ?? 0) + count
    }
  }
  const total = sumOf(Object.values(parameters))
  return total === undefined ? undefined : { parameters, total }
}
