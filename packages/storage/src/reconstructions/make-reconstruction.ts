/** Finds the files that were asked for, and makes the answer that tells how to fetch them. */

import { isRefusal, type Refusal } from '@latchkey/protocol'
import { yieldToEventLoop } from '@latchkey/service/limits/slices'
import type { Hash } from '@latchkey/xet/format'
import type { View } from '../catalog/catalog.ts'
import type { RequestedRange } from '../request/byte-range.ts'
import { beyondTheEnd, inTooManyPieces, notHere } from '../request/refusals.ts'
import type { UrlBearer } from './fetch-urls.ts'
import { type FetchPlan, touchedBy } from './plan-fetches.ts'
import {
  type Fetch,
  type Reconstructing,
  type Reconstruction,
  reconstructFile,
  type WantedFile,
} from './reconstruct-file.ts'

/** `/v1/reconstructions/{hash}`, `/v2/…`, and `/v1/reconstructions` for several files. */
type Form = 'v1' | 'v2' | 'batch'

function render(form: Form, made: readonly Reconstruction[]): object {
  return forms[form](made)
}

const forms: Readonly<Record<Form, (made: readonly Reconstruction[]) => object>> = {
  v1: (made) => ({ ...termsOf(made), fetch_info: fetchInfo(made) }),
  v2: (made) => ({ ...termsOf(made), xorbs: xorbsOf(made) }),
  batch: (made) => ({
    files: Object.fromEntries(made.map(({ file, plan }) => [file, termsJson(plan)])),
    fetch_info: fetchInfo(made),
  }),
}

/** The terms of the only file. */
function termsOf([only]: readonly Reconstruction[]): object {
  const plan = only?.plan ?? { offsetIntoFirst: 0, terms: [] }
  return { offset_into_first_range: plan.offsetIntoFirst, terms: termsJson(plan) }
}

function termsJson({ terms }: Pick<FetchPlan, 'terms'>): object {
  return terms.map(({ xorb, start, end, unpackedBytes }) => ({
    hash: xorb,
    unpacked_length: unpackedBytes,
    range: { start, end },
  }))
}

/** A URL for every run: no client needs to read an answer in several parts. */
function xorbsOf(made: readonly Reconstruction[]): object {
  return byXorb(made, ({ url, chunks, bytes }) => ({ url, ranges: [{ chunks, bytes }] }))
}

function fetchInfo(made: readonly Reconstruction[]): object {
  return byXorb(made, ({ url, chunks, bytes }) => ({ range: chunks, url, url_range: bytes }))
}

function byXorb(made: readonly Reconstruction[], json: (fetch: Fetch) => object): object {
  const all = new Map<Hash, object[]>()
  for (const { fetches } of made) {
    for (const [xorb, own] of fetches) {
      const listed = all.get(xorb) ?? []
      for (const fetch of own) listed.push(json(fetch))
      all.set(xorb, listed)
    }
  }
  return Object.fromEntries(all)
}

/** The request of a client. */
export interface ReconstructionQuestion extends UrlBearer {
  readonly form: Form
  /** One, or several for the form `batch`. */
  readonly files: readonly Hash[]
  readonly range: RequestedRange | undefined
  readonly view: View
  /** An answer with more terms is not made, only counted. */
  readonly maxTerms: number
}

/** The answer as JSON can say it, or how many terms it would have. */
export type MadeReconstruction = { readonly answer: object } | { readonly terms: number }

/** Terms in one response: clients request a file in more pieces range by range. */
const maxTermsInAnswer = 16_384

/** How many files are looked up before the thread yields. */
const filesAtOnce = 16

export async function makeReconstruction(
  reconstructing: Reconstructing,
  question: ReconstructionQuestion,
  signal: AbortSignal,
): Promise<MadeReconstruction | Refusal> {
  const files = await findWanted(reconstructing, question, signal)
  if (isRefusal(files)) return files
  const terms = files.reduce((sum, { touched }) => sum + touched.length, 0)
  if (terms > question.maxTerms) return { terms }
  const made: Reconstruction[] = []
  for (const one of files) made.push(await reconstructFile(reconstructing, one, signal))
  return { answer: render(question.form, made) }
}

async function findWanted(
  { catalog }: Reconstructing,
  { files, range, view }: ReconstructionQuestion,
  signal: AbortSignal,
): Promise<readonly WantedFile[] | Refusal> {
  const requestedFiles: WantedFile[] = []
  let left = maxTermsInAnswer
  for (const [index, hash] of files.entries()) {
    if (index % filesAtOnce === filesAtOnce - 1) await yieldToEventLoop(signal)
    const file = await catalog.findFile(view, hash)
    if (file === undefined) return notHere('file', hash)
    if (range !== undefined && range.start >= file.bytes) return beyondTheEnd(file.bytes)
    const touched = touchedBy(file.terms, range, left)
    if (touched.length > left) return inTooManyPieces
    left -= touched.length
    requestedFiles.push({ file, touched })
  }
  return requestedFiles
}
