/** Registers files that the storage does not have: with one shard, or with several where one would be too large. */

import { type MadeFile, shardOf } from './shard-of.ts'
import { splitFiles } from './split-files.ts'
import type { UploadCalls } from './upload-calls.ts'
import type { PackedXorbs } from './xorb-packer.ts'

/** Questions that are under way at once. */
const mostQuestions = 16

/** A file that came twice is registered once. A shard is made while the last xorbs are on their way. */
export async function registerFiles(
  calls: Pick<UploadCalls, 'hasFile' | 'sendShard'>,
  given: readonly MadeFile[],
  { sent, arrived }: PackedXorbs,
): Promise<void> {
  const files = [...new Map(given.map((file) => [file.hash, file])).values()]
  const missing = await withoutThoseThere(calls, files)
  let unlisted = sent
  for (const some of splitFiles(missing)) {
    const { shard, listed } = shardOf(some, unlisted)
    unlisted = unlisted.filter((xorb) => !listed.has(xorb))
    await arrived()
    await calls.sendShard(shard)
  }
  await arrived()
}

/** A file of which something was sent is not there. */
async function withoutThoseThere(
  { hasFile }: Pick<UploadCalls, 'hasFile'>,
  files: readonly MadeFile[],
): Promise<readonly MadeFile[]> {
  const there = new Set<MadeFile>()
  const open = files.filter(({ isNew }) => !isNew).values()
  const ask = async () => {
    for (const file of open) if (await hasFile(file.hash)) there.add(file)
  }
  await Promise.all(Array.from({ length: mostQuestions }, ask))
  return files.filter((file) => !there.has(file))
}
