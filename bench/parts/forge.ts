/** The benchmark measures the cost of a hub with a forge: small downloads, commits, clones, a large tree, files by hf and tokens, beside another hub where one is given. */

import { benchClone } from '../forge/clone.ts'
import { benchCommitCpu, benchCommits } from '../forge/commits.ts'
import { ownSide, peerSide, type Side } from '../forge/side.ts'
import { benchSmallFiles } from '../forge/small-files.ts'
import { benchTokens } from '../forge/tokens.ts'
import { benchTransfers } from '../forge/transfers.ts'
import { benchTree } from '../forge/tree.ts'
import type { Figure } from '../measure/figure.ts'
import { missing, type Part } from '../part.ts'
import { findPython, release } from '../transfer/clients.ts'
import { startWorld } from '../transfer/world.ts'

const commits = 1000
const files = 100_000
const cloneMegabytes = 1024

export const forge: Part = {
  name: 'forge',
  async figures({ rounds = 3, roundMs, peer }) {
    const world = await startWorld([], ['--forge', '--limits-requests-per-minute', '0'])
    const own = ownSide(world)
    const sides: readonly Side[] = peer === undefined ? [own] : [own, peerSide(peer)]
    const figures: Figure[] = []
    const python = findPython()
    try {
      figures.push(...(await benchTokens(sides, { rounds, roundMs })))
      if (python === undefined) {
        const how = 'npm run bench:forge brings it'
        figures.push(
          missing('hf upload and download', '', `huggingface_hub with hf_xet ${release}`, how),
        )
      } else {
        const transferring = { python, folder: world.folder, rounds }
        figures.push(...(await benchTransfers(sides, transferring)))
      }
      const measured = { ...own, pid: world.pid }
      const { folder } = world
      figures.push(await benchSmallFiles(measured, { folder, rounds }))
      figures.push(await benchCommitCpu(measured, { folder, groups: 5 * rounds }))
      figures.push(await benchClone(measured, { folder, rounds, megabytes: cloneMegabytes }))
      for (const side of sides) figures.push(...(await benchCommits(side, commits)))
      // Copies of one file make the tree, which other hubs may not have.
      figures.push(...(await benchTree(own, files)))
      return figures
    } finally {
      await world.close()
    }
  },
}
