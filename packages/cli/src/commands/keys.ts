/** `latchkey keys …`: the verbs of the keys, and what is done with their data directory alone. */

import type { Command } from 'commander'
import { keysRewrapCommand } from './keys-rewrap.ts'
import { nounCommand } from './noun.ts'

export function keysCommand(): Command {
  return nounCommand('keys', 'the keys that sign, and how they rotate', [keysRewrapCommand()])
}
