/** What most questions to a repository need: commands to run in it, its objects and its folders. */

import type { GitCommands } from '../process/git-commands.ts'
import type { Folders } from '../trees/tree-reader.ts'
import type { Objects } from './objects.ts'

export interface GitTools {
  readonly commands: GitCommands
  readonly objects: Objects
  readonly folders: Folders
  /** Aborted when the caller of all questions has gone; undefined for one who changes the repository. */
  readonly signal: AbortSignal | undefined
}
