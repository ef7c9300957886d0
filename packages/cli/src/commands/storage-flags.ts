/** The flags of every storage command that works on content: where the data lies, and the hub that it belongs to. */

import type { Command } from 'commander'
import { addConfigurationFlags, addOptionFlags } from '../configuration/flags.ts'

/** The data is always on this machine; the hub is asked where its database is not. */
export function addStorageFlags(command: Command): Command {
  return addOptionFlags(addConfigurationFlags(command, 'manage'), 'upkeep')
}
