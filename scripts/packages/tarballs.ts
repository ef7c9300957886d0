/** Gives tests the tarballs that npm would get, made once for a run: `inject('tarballs')`. */

import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { TestProject } from 'vitest/node'
import bundleCommand, { keptFiles } from '../bundle-command.ts'
import { packAll, type Tarball } from '../pack.ts'

declare module 'vitest' {
  export interface ProvidedContext {
    tarballs: readonly Tarball[]
  }
}

export default async function setUp({ provide }: TestProject): Promise<() => void> {
  const folder = mkdtempSync(join(tmpdir(), 'latchkey-tarballs-'))
  await bundleCommand()
  provide('tarballs', await packAll(folder, await keptFiles()))
  return () => rmSync(folder, { recursive: true, force: true })
}
