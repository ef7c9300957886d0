/**
 * Describes a repository by the files of a revision: card, configuration, size, parameters and the
 * list of files.
 */

import type { CallerQuestions, PermittedRevision } from '@latchkey/admin-api/forge-port'
import { isRefusal, type RepoType } from '@latchkey/protocol'
import { GrowingCache } from '@latchkey/service/limits/cache'
import type { FilledRevision } from '../large-files/open-revision.ts'
import { readText } from '../large-files/read-text.ts'
import type { CardFacts } from '../readme/card/card-facts.ts'
import type { CardTask, ReadmeThread } from '../readme/open-readme-thread.ts'
import { jsonBytes } from '../words/json-bytes.ts'
import { JsonText } from '../words/json-text.ts'
import { readModelConfig } from './model-config.ts'
import { type FileBounds, filesOf, hasWeights, weightsIn } from './revision-files.ts'
import type { CountParameters } from './safetensors.ts'
import type { CostlyField } from './wanted-fields.ts'

export interface DescriptionRequest extends FileBounds {
  readonly fields: ReadonlySet<CostlyField>
  readonly hub: Pick<CallerQuestions, 'storageToken' | 'payer'>
  readonly signal: AbortSignal
}

export interface DescribedRevision {
  /** The caller may read it. */
  readonly permitted: PermittedRevision
  /** Undefined where git has no files of it. Called only if something must be read. */
  readonly open: () => Promise<FilledRevision | undefined>
}

/** Undefined where git has no files of it. */
export type DescribeRevision = (
  revision: DescribedRevision,
  request: DescriptionRequest,
) => Promise<object | undefined>

export interface DescribeDeps {
  /** Reads the card of a README.md. The work is charged to the payer. */
  readonly readCard: ReadmeThread['readCard']
  readonly countParameters: CountParameters
}

const maxRememberedBytes = 16 * 1024 * 1024

/** Kept for a commit: it always tells the same. Large members are JSON already, so that no request walks over them again. */
interface CommitFacts {
  card?: ShownCard
  config?: { readonly value: JsonText | undefined }
  usedStorage?: number
}

type ShownCard = Omit<CardFacts, 'cardData' | 'modelIndex'> & {
  readonly cardData: JsonText
  readonly 'model-index'?: JsonText
}

const cardFields: readonly CostlyField[] = [
  ...(['cardData', 'tags', 'pipeline_tag', 'library_name', 'sdk', 'model-index'] as const),
]

/** A card that takes too long is not read again for so long; a busy machine may have made it slow. */
const slowMs = 60_000
const maxSlow = 10_000

export function describeRevisions({ readCard, countParameters }: DescribeDeps): DescribeRevision {
  const cache = new GrowingCache<string, CommitFacts>({
    most: maxRememberedBytes,
    sizeOf: (facts) => 200 + jsonBytes(facts, maxRememberedBytes),
  })
  const slow = new GrowingCache<string, number>({ most: maxSlow })
  const readOnce = async (key: string, task: CardTask): ReturnType<typeof readCard> => {
    if ((slow.get(key) ?? 0) > performance.now()) return 'slow'
    const read = await readCard(task)
    if (read === 'slow') slow.set(key, performance.now() + slowMs)
    return read
  }
  return async ({ permitted, open }, request) => {
    const { fields } = request
    const { type } = permitted.repo
    // A ref of any repository can name the hash of another's commit.
    const key = `${permitted.repositoryUid} ${permitted.commit}`
    const before = cache.get(key)
    if (before !== undefined && isEnough(before, fields, type)) {
      return memberOutput(before, { fields, type })
    }
    const opened = await open()
    if (opened === undefined) return undefined
    const files = filesOf(opened, request)
    const facts: CommitFacts = { ...before }
    if (isCardWanted(fields) && facts.card === undefined) {
      const task = await cardTask(opened, request.hub.payer())
      const card = task.text === '' ? 'invalid' : await readOnce(key, task)
      // Members that were not read are left out: empty ones would say that there are none.
      if (card !== 'slow' && !isRefusal(card)) facts.card = shownCard(card, task)
    }
    if (isConfigWanted(fields, type)) {
      facts.config ??= { value: asText(await readModelConfig(opened.repository, opened.tree)) }
    }
    if (fields.has('usedStorage') && facts.usedStorage === undefined) {
      const total = await files.totalBytes()
      if (total !== undefined) facts.usedStorage = total
    }
    if (Object.keys(facts).length > Object.keys(before ?? {}).length) cache.set(key, facts)
    const isCounted = fields.has('safetensors') && type === 'model'
    const safetensors = isCounted
      ? await countParameters(opened, await weightsIn(opened), request)
      : undefined
    return {
      ...memberOutput(facts, { fields, type }),
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

function memberOutput({ card, config, usedStorage }: CommitFacts, showing: Showing): object {
  const { fields } = showing
  return {
    ...cardMembers(card, showing),
    ...present('config', fields.has('config') ? config?.value : undefined),
    ...present('usedStorage', fields.has('usedStorage') ? usedStorage : undefined),
  }
}

function present(name: CostlyField, value: unknown): object {
  return value === undefined ? {} : { [name]: value }
}

function cardMembers(card: ShownCard | undefined, { fields, type }: Showing): object {
  const { sdk, 'model-index': index, ...always } = card ?? {}
  const all = {
    ...always,
    ...(type === 'space' ? { sdk } : {}),
    ...(type === 'model' ? { 'model-index': index } : {}),
  }
  const members = Object.entries(all).filter(
    ([name, value]) => value !== undefined && fields.has(name as CostlyField),
  )
  return Object.fromEntries(members)
}

/** An invalid card tells as much as none. */
function shownCard(card: CardFacts | 'invalid', { extraTags }: CardTask): ShownCard {
  const none = { cardData: '{}', tags: extraTags }
  const { cardData, modelIndex, ...more }: CardFacts = card === 'invalid' ? none : card
  return {
    ...{ ...more, cardData: new JsonText(cardData) },
    ...(modelIndex === undefined ? {} : { 'model-index': new JsonText(modelIndex) }),
  }
}

function asText(value: object | undefined): JsonText | undefined {
  return value && new JsonText(JSON.stringify(value))
}

async function cardTask(opened: FilledRevision, payer: string): Promise<CardTask> {
  const text = await readText(opened.repository, opened.tree, 'README.md')
  const isModel = opened.permitted.repo.type === 'model'
  const extraTags = isModel && (await hasWeights(opened)) ? ['safetensors'] : []
  return { text, extraTags, payer }
}
