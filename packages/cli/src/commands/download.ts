/** `latchkey download models/acme/bert@main HASH -o FILE`: gets a file from the storage, whole and checked. */

import { downloadFile, type Hash, parseHash } from '@latchkey/xet'
import { Command } from 'commander'
import { parseTarget, targetForm } from '../client/target.ts'
import { withClient } from '../client/with-client.ts'
import { addConfigurationFlags } from '../configuration/flags.ts'
import type { Flags } from '../configuration/read-configuration.ts'
import { findLogin } from '../credentials/find-login.ts'
import { quoteGiven } from '../output/escape.ts'
import { wrongUsage } from '../output/stop.ts'
import { textOf } from '../reading/members-of.ts'
import { downloadCalls } from '../transfer/download-calls.ts'
import { drainInto } from '../transfer/drain-into.ts'
import { explainMisdelivery } from '../transfer/explain-misdelivery.ts'
import { openSink } from '../transfer/sink.ts'
import { barFor } from '../transfer/transfer-bar.ts'
import { endOnSignals } from './end-on-signals.ts'

export function downloadCommand(): Command {
  const command = new Command('download')
    .description(
      'Downloads the file with this hash, as latchkey upload or another client of the storage printed it. All of it is checked against the hash before a file gets its name.',
    )
    .argument('<target>', `${targetForm}; main if left out`)
    .argument('<hash>', 'what the file is called: 64 hexadecimal digits, in lower case')
    .option(
      '-o, --output <file>',
      'Write to this file, which is replaced once all of it is there; - is standard output.',
    )
    .addHelpText('after', teaching)
    .action(download)
  return addConfigurationFlags(command, 'client')
}

const teaching = `
Examples:
  latchkey download models/acme/bert@main <hash> -o model.safetensors
  latchkey download models/acme/bert@refs/pr/1 <hash> | tar -x

What goes to standard output is checked too, but by then it is written: look at the exit code.`

async function download(target: string, given: string, flags: Flags): Promise<void> {
  const meant = parseTarget(target)
  const file = readHash(given)
  const output = textOf(flags['output'])
  if (output === undefined && process.stdout.isTTY) {
    throw wrongUsage('standard output is a terminal: name a file with -o, or say -o -')
  }
  const login = findLogin(flags, process.env)
  endOnSignals()
  const sink = openSink(output)
  const bar = barFor(output)
  try {
    await withClient(login, meant, async (client) => {
      const { bytes, chunks } = await downloadFile(downloadCalls(client), file)
      bar?.answered()
      const onProgress = bar?.watch.onDownloadProgress
      await drainInto(sink, chunks, (passed) => onProgress?.(passed, bytes))
    })
  } catch (error) {
    throw explainMisdelivery(error)
  } finally {
    bar?.end()
  }
}

function readHash(given: string): Hash {
  const hash = parseHash(given)
  if (hash !== undefined) return hash
  throw wrongUsage(
    `<hash>: ${quoteGiven(given)} must be 64 hexadecimal digits in lower case, as upload prints`,
  )
}
