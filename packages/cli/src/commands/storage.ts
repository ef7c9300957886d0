/** `latchkey storage …`: what an operator does with a storage and the content that it holds. */

import { Command } from 'commander'
import { storageForgetCommand } from './storage-forget.ts'
import { storageGcCommand } from './storage-gc.ts'
import { storageReaddressCommand } from './storage-readdress.ts'
import { storageReconcileCommand } from './storage-reconcile.ts'
import { storageRotateKeyCommand } from './storage-rotate-key.ts'
import { storageServeCommand } from './storage-serve.ts'
import { storageUsageCommand } from './storage-usage.ts'
import { storageVerifyCommand } from './storage-verify.ts'

export function storageCommand(): Command {
  return new Command('storage')
    .description(
      'Runs a storage without its hub; measures, frees, removes and verifies the content of the storage on this machine.',
    )
    .addCommand(storageServeCommand())
    .addCommand(storageUsageCommand())
    .addCommand(storageGcCommand())
    .addCommand(storageForgetCommand())
    .addCommand(storageVerifyCommand())
    .addCommand(storageReaddressCommand())
    .addCommand(storageReconcileCommand())
    .addCommand(storageRotateKeyCommand())
}
