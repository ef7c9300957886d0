import { accessSync, constants } from 'node:fs'
import { delimiter, join } from 'node:path'
import type { DemoTools } from './demo.ts'

export const noTools: DemoTools = { hf: false, git: false }

export function findTools({ PATH = '' }: Readonly<Record<string, string | undefined>>): DemoTools {
  const folders = PATH.split(delimiter).filter(Boolean)
  const isThere = (name: string) => folders.some((folder) => isExecutable(join(folder, name)))
  return { hf: isThere('hf'), git: isThere('git') }
}

function isExecutable(file: string): boolean {
  try {
    accessSync(file, constants.X_OK)
    return true
  } catch {
    return false
  }
}
