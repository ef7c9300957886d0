/** Reconstructions in the forms that clients read. */

import type { Hash } from '@latchkey/xet/format'
import type { Plan } from './plan-fetches.ts'
import type { Fetch, Reconstruction } from './reconstruct-file.ts'

/** `/v1/reconstructions/{hash}`, `/v2/…`, and `/v1/reconstructions` for several files. */
export type Form = 'v1' | 'v2' | 'batch'

export function render(form: Form, made: readonly Reconstruction[]): object {
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

/** Of the only file. */
function termsOf([only]: readonly Reconstruction[]): object {
  const plan = only?.plan ?? { offsetIntoFirst: 0, terms: [] }
  return { offset_into_first_range: plan.offsetIntoFirst, terms: termsJson(plan) }
}

function termsJson({ terms }: Pick<Plan, 'terms'>): object {
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
