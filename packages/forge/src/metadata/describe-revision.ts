/** What the files of a revision tell about its repository: card, configuration, size, parameters and the list of files. */

import type { RepoType } from '@latchkey/protocol'
import { GrowingCache } from '@latchkey/service/growing-cache'
import type { CardData } from '../cards/card.ts'
import { type DescribedFile, describeFiles } from '../files/describe-files.ts'
import type { FilledRevision } from '../files/open-revision.ts'
import { readText } from '../files/read-text.ts'
import type { ListedEntry, ObjectHash } from '../git/index.ts'
import type { HubQuestions } from '../hub-port.ts'
import { type CardFacts, cardFacts } from './card-facts.ts'
import { readModelConfig } from './model-config.ts'
import type { CountParameters } from './safetensors.ts'
import type { CostlyField } from './wanted-fields.ts'

export interface DescriptionRequest {
  readonly fields: ReadonlySet<CostlyField>
  /** With the size and hash of each file. */
  readonly withBlobs?: boolean
  /** Of a repository with more there is no list: part of one would be taken for the whole. `…/tree/…` is paged. */
  readonly maxSiblings: number
  readonly hub: Pick<HubQuestions, 'storageToken'>
  readonly signal: AbortSignal
}

export type DescribeRevision = (
  opened: FilledRevision,
  request: DescriptionRequest,
) => Promise<object>

/** Undefined for a README.md whose card cannot be read now. */
export type ReadCard = (text: string) => Promise<{ readonly data: CardData } | undefined>

export interface DescribeDeps {
  readonly readCard: ReadCard
  readonly countParameters: CountParameters
}

/** The sizes of more files are not added up. */
const maxSummed = 5000
/** On average: a list of files stays small also where their names are long. */
const maxPathLength = 200
const maxRememberedBytes = 16 * 1024 * 1024

/** The same tree tells the same. */
interface TreeFacts {
  card?: ReadFacts
  config?: { readonly value: object | undefined }
  usedStorage?: number
}

interface ReadFacts extends CardFacts {
  /** False where the card could not be read. */
  readonly isRead: boolean
}

const cardFields: readonly CostlyField[] = [
  ...(['cardData', 'tags', 'pipeline_tag', 'library_name', 'sdk', 'model-index'] as const),
]

/** A card that cannot be read is not read again for so long; the reason may have been a busy machine. */
const unreadableMs = 60_000
const maxUnreadable = 10_000

export function describeRevisions({ readCard, countParameters }: DescribeDeps): DescribeRevision {
  const known = new GrowingCache<string, TreeFacts>({
    most: maxRememberedBytes,
    sizeOf: (facts) => 200 + JSON.stringify(facts).length,
  })
  const unreadable = new GrowingCache<string, number>({ most: maxUnreadable })
  const readOrPass =
    (key: string): ReadCard =>
    async (text) => {
      if ((unreadable.get(key) ?? 0) > performance.now()) return undefined
      const read = await readCard(text)
      if (read === undefined) unreadable.set(key, performance.now() + unreadableMs)
      return read
    }
  return async (opened, { fields, withBlobs = false, maxSiblings, hub, signal }) => {
    const { tree, repository, permitted } = opened
    const { type } = permitted.repo
    const key = `${type} ${tree}`
    const before = known.get(key)
    const facts: TreeFacts = { ...before }
    const has = (...names: readonly CostlyField[]) => names.some((name) => fields.has(name))
    const once = <Value>(work: () => Promise<Value>) => {
      let running: Promise<Value> | undefined
      return () => {
        running ??= work()
        return running
      }
    }
    const entries = once(() => filesIn(opened, maxSiblings))
    const described = once(async () => {
      const listed = await entries()
      const isShort = listed !== undefined && listed.length <= (withBlobs ? maxSiblings : maxSummed)
      return isShort ? describeFiles(repository, listed) : undefined
    })
    const isCardShown = has(...cardFields)
    const card = isCardShown ? (facts.card ?? (await cardOf(opened, readOrPass(key)))) : undefined
    if (card?.isRead === true) facts.card = card
    if (has('config') && type === 'model') {
      facts.config ??= { value: await readModelConfig(repository, tree) }
    }
    if (has('usedStorage') && facts.usedStorage === undefined) {
      const files = await described()
      if (files !== undefined) facts.usedStorage = totalOf(files)
    }
    if (Object.keys(facts).length > Object.keys(before ?? {}).length) known.set(key, facts)
    const siblings = has('siblings')
      ? withBlobs
        ? (await described())?.map(withBlob)
        : (await entries())?.map(({ path }) => ({ rfilename: path }))
      : undefined
    const isCounted = has('safetensors') && type === 'model'
    const rootFiles = isCounted ? await weightsIn(opened) : []
    const safetensors = isCounted
      ? await countParameters(opened, rootFiles, { hub, signal })
      : undefined
    return {
      ...shownCard(card, { fields, type }),
      ...present('config', has('config') ? facts.config?.value : undefined),
      ...present('safetensors', safetensors),
      ...present('usedStorage', has('usedStorage') ? facts.usedStorage : undefined),
      ...present('siblings', siblings),
    }
  }
}

function present(name: CostlyField, value: unknown): object {
  return value === undefined ? {} : { [name]: value }
}

function shownCard(
  card: CardFacts | undefined,
  { fields, type }: { readonly fields: ReadonlySet<CostlyField>; readonly type: RepoType },
): object {
  if (card === undefined) return {}
  const { cardData, tags, pipeline_tag: pipeline, library_name: library, sdk } = card
  const all = {
    ...{ cardData, tags, pipeline_tag: pipeline, library_name: library },
    ...(type === 'space' ? { sdk } : {}),
    ...(type === 'model' ? { 'model-index': cardData['model-index'] } : {}),
  }
  const shown = Object.entries(all).filter(
    ([name, value]) => value !== undefined && fields.has(name as CostlyField),
  )
  return Object.fromEntries(shown)
}

async function cardOf(
  { repository, tree, permitted }: FilledRevision,
  readCard: ReadCard,
): Promise<ReadFacts> {
  const text = await readText(repository, tree, 'README.md')
  const read = text === '' ? { data: {} } : await readCard(text)
  const hasWeights = permitted.repo.type === 'model' && (await hasSafetensors(repository, tree))
  const facts = cardFacts(read?.data ?? {}, hasWeights ? ['safetensors'] : [])
  return { ...facts, isRead: read !== undefined }
}

const rootLimit = 1000

async function hasSafetensors(
  repository: FilledRevision['repository'],
  tree: ObjectHash,
): Promise<boolean> {
  const page = await repository.listTree(tree, { limit: rootLimit })
  return page?.entries.some(isWeights) ?? false
}

async function weightsIn({ repository, tree }: FilledRevision): Promise<readonly DescribedFile[]> {
  const page = await repository.listTree(tree, { limit: rootLimit })
  return describeFiles(repository, page?.entries.filter(isWeights).slice(0, maxWeights) ?? [])
}

/** More than a model has files that are read. */
const maxWeights = 200

function isWeights({ path, kind }: ListedEntry): boolean {
  return kind === 'file' && path.endsWith('.safetensors')
}

/** Undefined where there are too many, or their names are too long together. */
async function filesIn(
  { repository, tree }: FilledRevision,
  limit: number,
): Promise<readonly ListedEntry[] | undefined> {
  const page = await repository.listTree(tree, { recursive: true, limit })
  if (page === undefined || page.next !== undefined) return undefined
  const files = page.entries.filter(({ kind }) => kind !== 'folder')
  const length = files.reduce((sum, { path }) => sum + path.length, 0)
  return length > limit * maxPathLength ? undefined : files
}

/** The bytes that a checkout of the revision has. */
function totalOf(files: readonly DescribedFile[]): number {
  return files.reduce((sum, { size }) => sum + size, 0)
}

function withBlob({ path, oid, size, lfs }: DescribedFile): object {
  return {
    ...{ rfilename: path, blobId: oid, size },
    ...(lfs && { lfs: { sha256: lfs.oid, size: lfs.size, pointerSize: lfs.pointerSize } }),
  }
}
