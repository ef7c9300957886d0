/** The detail of an entry as text, at a size that no caller can choose. */

import { hash } from 'node:crypto'
import type { Image, Images } from './image-of.ts'

/** A caller may give lists of 250 KB, again and again; the journal keeps every entry. */
const longestDetail = 8192
const longestList = 256

/** In a detail that is too long, a long list becomes its length and its digest. */
export function detailOf({ before, after }: Images): string {
  const text = JSON.stringify({ before, after })
  if (text.length <= longestDetail) return text
  return JSON.stringify({ before: before && shortened(before), after: after && shortened(after) })
}

function shortened(image: Image): Image {
  return Object.fromEntries(Object.entries(image).map(([name, value]) => [name, digested(value)]))
}

function digested(value: unknown): unknown {
  const text = JSON.stringify(value)
  if (!Array.isArray(value) || text.length <= longestList) return value
  return { length: value.length, sha256: hash('sha256', text) }
}
