/** The URLs of the runs of a file: renewed for all of them when one no longer opens its bytes. */

import { BrokenRun, type DownloadCalls, type ReconstructionAnswer } from './download-calls.ts'
import { nameOf } from './download-plan.ts'
import { type Reconstruction, type Run, readReconstruction } from './read-reconstruction.ts'

export interface RunUrl {
  readonly url: string
  readonly storageUrl: string
  /** Rises with every renewal. */
  readonly age: number
}

export interface RunUrls {
  of(runName: string): RunUrl
  /** Gets new URLs, unless somebody has since the one of this age was given. */
  renew(age: number, tries: number): Promise<void>
}

export function runUrls(
  { pause }: Pick<DownloadCalls, 'pause'>,
  first: Reconstruction,
  reconstruct: () => Promise<ReconstructionAnswer>,
): RunUrls {
  let now = { ...named(first), age: 0 }
  let renewing: Promise<void> | undefined
  const renewAll = async (tries: number) => {
    await pause(tries)
    now = { ...named(readReconstruction(await reconstruct())), age: now.age + 1 }
  }
  return {
    of(runName) {
      const { storageUrl, age, runs } = now
      const url = runs.get(runName)?.url
      if (url !== undefined) return { url, storageUrl, age }
      throw new BrokenRun('the storage has packed the file anew meanwhile; download it again')
    },
    async renew(age, tries) {
      if (age !== now.age) return
      renewing ??= renewAll(tries).finally(() => {
        renewing = undefined
      })
      await renewing
    },
  }
}

function named({ storageUrl, runs }: Reconstruction) {
  const byName = new Map<string, Run>()
  for (const [xorb, own] of runs) for (const run of own) byName.set(nameOf({ xorb }, run), run)
  return { storageUrl, runs: byName }
}
