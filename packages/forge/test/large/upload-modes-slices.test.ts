import { expect, test } from 'vitest'
import { chooseUploadModes } from '../../src/large-files/upload-modes.ts'
import type { FilePath } from '../../src/words/file-path.ts'

test('the samples of a request are read in slices, so that other requests are served in between', async () => {
  // Every byte of a text is looked at.
  const sample = Buffer.alloc(3072, '\t').toString('base64')
  const files = Array.from({ length: 4000 }, (_, at) => ({
    ...{ path: `${at}.txt` as FilePath, sizeBytes: 3072, sample },
  }))
  const rules = { filtersOf: async () => [], ignoredOf: async () => [] }
  let [turns, isOver] = [0, false]
  const count = () => {
    turns += 1
    if (!isOver) setImmediate(count)
  }
  setImmediate(count)
  const modes = await chooseUploadModes(files, { rules, gitattributes: '' })
  isOver = true
  expect(modes).toEqual(
    files.map(({ path }) => ({ path, uploadMode: 'regular', shouldIgnore: false })),
  )
  expect(turns).toBeGreaterThan(3)
})
