/** Downloads a file to where chunks can be put in any order; in the end they must be the file that was asked for. */

import { loadHashes } from '#platform/hashes'
import type { Hash } from '../format/hash.ts'
import { merkleTree } from '../format/merkle-tree.ts'
import type { DownloadCalls } from './download-calls.ts'
import { longestRunOf, planDownload } from './download-plan.ts'
import type { DownloadTarget } from './download-target.ts'
import { slabs } from './fetch-ahead.ts'
import { fetchPlan } from './fetch-plan.ts'
import { readReconstruction } from './read-reconstruction.ts'
import { refuseOtherFile } from './refuse-other-file.ts'

export interface PreparedDownload {
  readonly bytes: number
  /** Every run is fetched once, however often the file has its chunks. */
  into(target: DownloadTarget, onProgress?: (bytes: number) => void): Promise<void>
}

export async function prepareDownload(calls: DownloadCalls, file: Hash): Promise<PreparedDownload> {
  await loadHashes()
  const reconstruction = readReconstruction(await calls.reconstruct(file))
  const plan = planDownload(reconstruction)
  return {
    bytes: plan.bytes,
    async into(target, onProgress = () => {}) {
      let placed = 0
      const onPlaced = (more: number) => {
        placed += more
        onProgress(placed)
      }
      const memory = slabs(longestRunOf(plan))
      const tree = merkleTree()
      const job = { calls, file, range: undefined, reconstruction, memory, tree, onPlaced }
      await fetchPlan(job, target)
      target.allPut?.()
      refuseOtherFile(tree, file)
    },
  }
}
