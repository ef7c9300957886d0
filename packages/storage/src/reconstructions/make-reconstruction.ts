/** Finds the files that were asked for, and makes the answer that tells how to fetch them. */

import { isRefusal, type Refusal } from '@latchkey/protocol'
import type { Hash } from '@latchkey/xet/format'
import type { BlobBearer } from '../blob-url/blob-permit.ts'
import type { DayKey } from '../blob-url/day-keys.ts'
import type { View } from '../catalog/catalog.ts'
import type { ByteRange } from '../request/byte-range.ts'
import { beyondTheEnd, inTooManyPieces, notHere } from '../request/refusals.ts'
import { yieldTo } from '../request/yield-to.ts'
import { touchedBy } from './plan-fetches.ts'
import {
  type Reconstructing,
  type Reconstruction,
  reconstructFile,
  type Wanted,
} from './reconstruct-file.ts'
import { type Form, render } from './render-reconstructions.ts'

/** What a client has asked for. */
export interface Question {
  readonly form: Form
  /** One, or several for the form `batch`. */
  readonly files: readonly Hash[]
  readonly range: ByteRange | undefined
  readonly view: View
  /** For whom the URLs are signed. */
  readonly bearer: BlobBearer
  /** With which they are signed. */
  readonly key: DayKey
  /** An answer with more terms is not made, only counted. */
  readonly mostTerms: number
}

/** The answer as JSON can say it, or how many terms it would have. */
export type Made = { readonly answer: object } | { readonly terms: number }

/** Of one answer: what is in more pieces is asked for range by range. */
const mostTermsInAnswer = 16_384

/** How many files are looked up before the thread yields. */
const filesAtOnce = 16

export async function makeReconstruction(
  reconstructing: Reconstructing,
  question: Question,
  signal: AbortSignal,
): Promise<Made | Refusal> {
  const wanted = await findWanted(reconstructing, question, signal)
  if (isRefusal(wanted)) return wanted
  const terms = wanted.reduce((sum, { touched }) => sum + touched.length, 0)
  if (terms > question.mostTerms) return { terms }
  const made: Reconstruction[] = []
  for (const one of wanted) made.push(await reconstructFile(reconstructing, one, signal))
  return { answer: render(question.form, made) }
}

async function findWanted(
  { catalog }: Reconstructing,
  { files, range, view }: Question,
  signal: AbortSignal,
): Promise<readonly Wanted[] | Refusal> {
  const wanted: Wanted[] = []
  let left = mostTermsInAnswer
  for (const [index, hash] of files.entries()) {
    if (index % filesAtOnce === filesAtOnce - 1) await yieldTo(signal)
    const file = await catalog.findFile(view, hash)
    if (file === undefined) return notHere('file', hash)
    if (range !== undefined && range.start >= file.bytes) return beyondTheEnd(file.bytes)
    const touched = touchedBy(file.terms, range, left)
    if (touched.length > left) return inTooManyPieces
    left -= touched.length
    wanted.push({ file, touched })
  }
  return wanted
}
