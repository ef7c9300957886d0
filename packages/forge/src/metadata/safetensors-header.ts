/** The header of a safetensors file: how many parameters it has of which type. */

import { parseJson } from '@latchkey/service/http/parse-json'
import { membersOf } from '../words/members.ts'

export type ParameterCounts = Readonly<Record<string, number>>

/** A header of a model with a hundred thousand tensors would be longer. */
export const maxHeaderBytes = 256 * 1024
/** A tensor takes some 60 bytes of a header. */
const maxTensors = 5000
const lengthBytes = 8
const maxDimensions = 16

/** Reads no further than the header. Undefined for a header that is longer than the bound, or is none. */
export async function readCounts(
  content: AsyncIterable<Uint8Array>,
): Promise<ParameterCounts | undefined> {
  const parts: Uint8Array[] = []
  let length = 0
  let end: number | 'none' | undefined
  for await (const part of content) {
    parts.push(part)
    length += part.length
    end ??= headerEnd(length < lengthBytes ? Buffer.alloc(0) : Buffer.concat(parts))
    if (end === 'none') return undefined
    // Joined once: a storage may send many small parts.
    if (end !== undefined && length >= end) {
      return countsIn(Buffer.concat(parts).subarray(lengthBytes, end))
    }
  }
  return undefined
}

/** Undefined while there are too few bytes to say. */
function headerEnd(bytes: Buffer): number | 'none' | undefined {
  if (bytes.length < lengthBytes) return undefined
  const length = bytes.readBigUInt64LE(0)
  return length > maxHeaderBytes || length < 2 ? 'none' : lengthBytes + Number(length)
}

async function countsIn(header: Buffer): Promise<ParameterCounts | undefined> {
  const tensors = membersOf(await parseJson(header, { maxMembers: maxTensors }))
  if (tensors === undefined) return undefined
  const counts = new Map<string, number>()
  for (const [name, tensor] of Object.entries(tensors)) {
    if (name === '__metadata__') {
      if (!isTexts(tensor)) return undefined
      continue
    }
    const { dtype, shape } = membersOf(tensor) ?? {}
    const size = sizeOf(shape)
    if (typeof dtype !== 'string' || !/^[A-Z0-9_]{1,16}$/.test(dtype) || size === undefined) {
      return undefined
    }
    counts.set(dtype, (counts.get(dtype) ?? 0) + size)
  }
  return sumOf([...counts.values()]) === undefined ? undefined : Object.fromEntries(counts)
}

function isTexts(value: unknown): boolean {
  const members = membersOf(value)
  return members !== undefined && Object.values(members).every((one) => typeof one === 'string')
}

function sizeOf(shape: unknown): number | undefined {
  if (!Array.isArray(shape) || shape.length > maxDimensions) return undefined
  const isValid = shape.every((one) => Number.isSafeInteger(one) && one >= 0)
  const size = isValid
    ? shape.reduce((product: number, one: number) => product * one, 1)
    : undefined
  return Number.isSafeInteger(size) ? size : undefined
}

/** Undefined where the sum is too large to be exact. */
export function sumOf(numbers: readonly number[]): number | undefined {
  const sum = numbers.reduce((all, one) => all + one, 0)
  return Number.isSafeInteger(sum) ? sum : undefined
}
