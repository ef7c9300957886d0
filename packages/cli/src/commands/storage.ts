/** `latchkey storage …`: what an operator does with the content that the storage holds. */

import { Command } from 'commander'
import { storageForgetCommand } from './storage-forget.ts'
import { storageGcCommand } from './storage-gc.ts'
import { storageUsageCommand } from './storage-usage.ts'

export function storageCommand(): Command {
  return new Command('storage')
    .description('Measures, frees and removes the content of the storage on this machine.')
    .addCommand(storageUsageCommand())
    .addCommand(storageGcCommand())
    .addCommand(storageForgetCommand())
}
