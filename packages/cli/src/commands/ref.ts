/** `latchkey ref …`: the verbs of refs, one of which reads a push from standard input. */

import type { Command } from 'commander'
import { nounCommand } from './noun.ts'
import { refUpdateCommand } from './ref-update.ts'

export function refCommand(): Command {
  return nounCommand('ref', 'branches, tags and other refs', [refUpdateCommand()])
}
