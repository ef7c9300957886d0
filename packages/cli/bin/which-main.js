// The bundle, where it is one of these very sources: it starts in half the time. Otherwise the sources themselves.
import { readFileSync, statSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

const command = dirname(dirname(fileURLToPath(import.meta.url)))
const root = dirname(dirname(command))

export function whichMain() {
  return isFresh() ? '../dist/main.ts' : '../src/main.ts'
}

function isFresh() {
  try {
    return JSON.parse(readFileSync(join(command, 'dist/inputs.json'), 'utf8')).every(isUnchanged)
  } catch {
    // There is no bundle, or a file that it was made of is gone.
    return false
  }
}

function isUnchanged([file, bytes, changedMs]) {
  const { size, mtimeMs } = statSync(`${root}/${file}`)
  return size === bytes && mtimeMs === changedMs
}
