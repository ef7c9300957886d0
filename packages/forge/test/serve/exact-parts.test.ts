import { expect, test } from 'vitest'
import { BodyUnreadable, exactParts } from '../../src/http/bodies.ts'

/** The bytes that a reader gets before the body ends or is refused. */
async function bytesOf(lengths: readonly number[], size: number) {
  const parts = (async function* () {
    for (const length of lengths) yield new Uint8Array(length)
  })()
  let bytes = 0
  try {
    for await (const part of exactParts(parts, size)) bytes += part.length
    return { bytes, isWhole: true }
  } catch (error) {
    expect(error).toBeInstanceOf(BodyUnreadable)
    return { bytes, isWhole: false }
  }
}

test('a body of another length is never given whole, in whatever parts it comes', async () => {
  for (const lengths of [[8], [4, 4], [1, 7], [8, 0]])
    expect(await bytesOf(lengths, 8)).toEqual({ bytes: 8, isWhole: true })
  for (const lengths of [
    [9],
    [8, 1],
    [4, 4, 4],
    [4, 4, 1, 1],
    [7],
    [4, 3],
    [],
    [8, 8, 8],
    [8, 0, 1],
  ]) {
    const { bytes, isWhole } = await bytesOf(lengths, 8)
    expect([isWhole, bytes < 8], `${lengths}`).toEqual([false, true])
  }
})
