/** The flags of every storage command: where the data lies, which is always on this machine. */

import type { Command } from 'commander'
import { addConfigurationFlags } from '../configuration/flags.ts'

export function addStorageFlags(command: Command): Command {
  return addConfigurationFlags(command, 'manage')
}
