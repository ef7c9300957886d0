/** Gives most operations on a repository their tools: commands to run in it, and its objects. */

import type { GitCommands } from '../process/git-commands.ts'
import type { Objects } from './objects.ts'

export interface GitTools {
  readonly commands: GitCommands
  readonly objects: Objects
}
