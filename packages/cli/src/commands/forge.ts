/** `latchkey forge …`: what an operator does with a forge. */

import type { Command } from 'commander'
import { forgeBackupCommand } from './forge-backup.ts'
import { forgeRestoreCommand } from './forge-restore.ts'
import { forgeServeCommand } from './forge-serve.ts'
import { nounCommand } from './noun.ts'

export function forgeCommand(): Command {
  return nounCommand(
    'forge',
    'Runs a forge on a separate machine, backs it up, and chooses the forge of a hub.',
    [forgeServeCommand(), forgeBackupCommand(), forgeRestoreCommand()],
  )
}
