/** The flags of every storage command: where the data lies, which is always on this machine. */

import { type Command, Option as Flag } from 'commander'
import { addConfigurationFlags } from '../configuration/flags.ts'
import { wrongUsage } from '../output/stop.ts'

export function addStorageFlags(command: Command): Command {
  return refuseHub(addConfigurationFlags(command, 'manage'))
}

/** Other management commands have it, so that people try it here. */
export function refuseHub(command: Command): Command {
  return command.addOption(new Flag('--hub <URL>').hideHelp().argParser(refuse))
}

function refuse(): never {
  throw wrongUsage(
    '--hub: the storage commands work on the data of this machine only; run them where the data directory of the hub is',
  )
}
