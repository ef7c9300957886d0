/** What the files of a revision tell about its repository: card, configuration, size, parameters and the list of files. */

import { isRefusal, type Refusal, type RepoType } from '@latchkey/protocol'
import { GrowingCache } from '@latchkey/service/growing-cache'
import type { CardData } from '../cards/card.ts'
import { type DescribedFile, describeFiles } from '../files/describe-files.ts'
import type { FilledRevision } from '../files/open-revision.ts'
import { readText } from '../files/read-text.ts'
import type { ListedEntry, ObjectHash } from '../git/index.ts'
import type { HubQuestions, Permitted } from '../hub-port.ts'
import type { CardFailure } from '../readme/open-readme-thread.ts'
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
  readonly hub: Pick<HubQuestions, 'storageToken' | 'payer'>
  readonly signal: AbortSignal
}

export interface DescribedRevision {
  /** The caller may read it. */
  readonly permitted: Permitted
  /** Undefined where git has no files of it. Called only if something must be read. */
  readonly open: () => Promise<FilledRevision | undefined>
}

/** Undefined where git has no files of it. */
export type DescribeRevision = (
  revision: DescribedRevision,
  request: DescriptionRequest,
) => Promise<object | undefined>

/** Reads the card of a README.md. The work is charged to the payer. */
export type ReadCard = (
  text: string,
  payer: string,
) => Promise<{ readonly data: CardData } | CardFailure | Refusal>

export interface DescribeDeps {
  readonly readCard: ReadCard
  readonly countParameters: CountParameters
}

/** The sizes of more files are not added up. */
const maxSummed = 5000
/** On average: a list of files stays small also where their names are long. */
const maxPathLength = 200
const maxRememberedBytes = 16 * 1024 * 1024

/** Kept for a commit: it always tells the same. */
interface CommitFacts {
  card?: CardFacts
  config?: { readonly value: object | undefined }
  usedStorage?: number
}

const cardFields: readonly CostlyField[] = [
  ...(['cardData', 'tags', 'pipeline_tag', 'library_name', 'sdk', 'model-index'] as const),
]

/** A card that takes too long is not read again for so long; a busy machine may have made it slow. */
const slowMs = 60_000
const maxSlow = 10_000

export function describeRevisions({ readCard, countParameters }: DescribeDeps): DescribeRevision {
  const known = new GrowingCache<string, CommitFacts>({
    most: maxRememberedBytes,
    sizeOf: (facts) => 200 + JSON.stringify(facts).length,
  })
  const slow = new GrowingCache<string, number>({ most: maxSlow })
  const readOnce = async (key: string, text: string, payer: string) => {
    if ((slow.get(key) ?? 0) > performance.now()) return 'slow'
    const read = await readCard(text, payer)
    if (read === 'slow') slow.set(key, performance.now() + slowMs)
    return read
  }
  return async ({ permitted, open }, request) => {
    const { fields } = request
    const { type } = permitted.repo
    // A ref of any repository can name the hash of another's commit.
    const key = `${permitted.repositoryUid} ${permitted.commit}`
    const before = known.get(key)
    if (before !== undefined && isEnough(before, fields, type)) {
      return shown(before, { fields, type })
    }
    const opened = await open()
    if (opened === undefined) return undefined
    const files = filesOf(opened, request)
    const facts: CommitFacts = { ...before }
    if (isCardWanted(fields) && facts.card === undefined) {
      const card = await cardOf(opened, (text) => readOnce(key, text, request.hub.payer()))
      if (card !== undefined) facts.card = card
    }
    if (isConfigWanted(fields, type)) {
      facts.config ??= { value: await readModelConfig(opened.repository, opened.tree) }
    }
    if (fields.has('usedStorage') && facts.usedStorage === undefined) {
      const described = await files.described()
      if (described !== undefined) facts.usedStorage = totalOf(described)
    }
    if (Object.keys(facts).length > Object.keys(before ?? {}).length) known.set(key, facts)
    const isCounted = fields.has('safetensors') && type === 'model'
    const safetensors = isCounted
      ? await countParameters(opened, await weightsIn(opened), request)
      : undefined
    return {
      ...shown(facts, { fields, type }),
      ...present('safetensors', safetensors),
      ...present('siblings', fields.has('siblings') ? await files.siblings() : undefined),
    }
  }
}

/** Whether nothing must be read for these fields. */
function isEnough(
  { card, config, usedStorage }: CommitFacts,
  fields: ReadonlySet<CostlyField>,
  type: RepoType,
): boolean {
  if (fields.has('siblings') || (fields.has('safetensors') && type === 'model')) return false
  return (
    (!isCardWanted(fields) || card !== undefined) &&
    (!isConfigWanted(fields, type) || config !== undefined) &&
    (!fields.has('usedStorage') || usedStorage !== undefined)
  )
}

function isCardWanted(fields: ReadonlySet<CostlyField>): boolean {
  return cardFields.some((name) => fields.has(name))
}

function isConfigWanted(fields: ReadonlySet<CostlyField>, type: RepoType): boolean {
  return type === 'model' && fields.has('config')
}

interface Showing {
  readonly fields: ReadonlySet<CostlyField>
  readonly type: RepoType
}

function shown({ card, config, usedStorage }: CommitFacts, showing: Showing): object {
  const { fields } = showing
  return {
    ...shownCard(card, showing),
    ...present('config', fields.has('config') ? config?.value : undefined),
    ...present('usedStorage', fields.has('usedStorage') ? usedStorage : undefined),
  }
}

interface RevisionFiles {
  described(): Promise<readonly DescribedFile[] | undefined>
  siblings(): Promise<readonly object[] | undefined>
}

/** Listed once, whoever asks. */
function filesOf(
  opened: FilledRevision,
  { withBlobs = false, maxSiblings }: DescriptionRequest,
): RevisionFiles {
  const entries = once(() => filesIn(opened, maxSiblings))
  const maxDescribed = withBlobs ? maxSiblings : maxSummed
  const described = once(async () => {
    const listed = await entries()
    if (listed === undefined || listed.length > maxDescribed) return undefined
    return describeFiles(opened.repository, listed)
  })
  return {
    described,
    siblings: async () =>
      withBlobs
        ? (await described())?.map(withBlob)
        : (await entries())?.map(({ path }) => ({ rfilename: path })),
  }
}

function once<Value>(work: () => Promise<Value>): () => Promise<Value> {
  let running: Promise<Value> | undefined
  return () => {
    running ??= work()
    return running
  }
}

function present(name: CostlyField, value: unknown): object {
  return value === undefined ? {} : { [name]: value }
}

function shownCard(card: CardFacts | undefined, { fields, type }: Showing): object {
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

/** Undefined where the metadata is not read now: the members are left out, as empty ones would say that there are none. */
async function cardOf(
  { repository, tree, permitted }: FilledRevision,
  readCard: (text: string) => ReturnType<ReadCard>,
): Promise<CardFacts | undefined> {
  const text = await readText(repository, tree, 'README.md')
  const read = text === '' ? { data: {} } : await readCard(text)
  const hasWeights = permitted.repo.type === 'model' && (await hasSafetensors(repository, tree))
  if (read === 'slow' || isRefusal(read)) return undefined
  return cardFacts(read === 'invalid' ? {} : read.data, hasWeights ? ['safetensors'] : [])
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
