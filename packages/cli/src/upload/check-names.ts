/** Whether the files of an upload can stand in one manifest; told before anything is sent. */

import { pathFlaw, treeFlaw } from '@latchkey/protocol'
import { quoteGiven } from '@latchkey/service/text/escape'
import { refused, wrongUsage } from '../output/stop.ts'
import type { Source } from './source.ts'

export function checkNames(sources: readonly Source[]): void {
  for (const { file, path } of sources) {
    if (file === '-') throw wrongUsage('<file...>: - has no name that a manifest could hold')
    const flaw = pathFlaw(path)
    if (flaw === undefined) continue
    throw refused(`${quoteGiven(file)} cannot stand in a manifest: its path ${flaw}; rename it`)
  }
  const flawed = treeFlaw(sources.map(({ path }) => path))
  if (flawed === undefined) return
  const files = sources
    .filter(({ path }) => path === flawed.path)
    .map(({ file }) => quoteGiven(file))
  throw refused(
    `${quoteGiven(flawed.path)} ${flawed.flaw} in the manifest (${files.join(', ')}); upload the folder above, or one after the other`,
  )
}
