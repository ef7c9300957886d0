/** Remembers for which files the test command has passed. */

import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { changedFiles, treeOf } from './git.ts'

export interface Passed {
  readonly tree: string
  readonly passed: number
  readonly skipped: number
}

const fileIn = (root: string) => join(root, 'node_modules/.cache/latchkey/tests-passed.json')

/** Undefined where files differ from the last commit, or git is not there to say so. */
export function committedTree(root: string): string | undefined {
  try {
    return changedFiles(root).length === 0 ? treeOf(root) : undefined
  } catch {
    return undefined
  }
}

export function notePassed(root: string, passed: Passed): void {
  mkdirSync(dirname(fileIn(root)), { recursive: true })
  writeFileSync(fileIn(root), JSON.stringify(passed))
}

export function forgetPassed(root: string): void {
  rmSync(fileIn(root), { force: true })
}

/** How the tests of the last commit's files went, if they were run and passed. */
export function readPassed(root: string): Passed | undefined {
  try {
    const passed: Passed = JSON.parse(readFileSync(fileIn(root), 'utf8'))
    return passed.tree === treeOf(root) ? passed : undefined
  } catch {
    return undefined
  }
}
