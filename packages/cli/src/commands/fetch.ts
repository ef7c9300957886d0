/** `latchkey fetch models/acme/bert@main /v1/…`: asks the storage as curl would, and brings the token. */

import { Readable } from 'node:stream'
import { Command } from 'commander'
import { currentLogin } from '../client/current-login.ts'
import { parseTarget, targetForm } from '../client/target.ts'
import { withClient } from '../client/with-client.ts'
import { addConfigurationFlags } from '../configuration/flags.ts'
import type { Flags } from '../configuration/read-configuration.ts'
import { dataOf, refusalOf } from '../transfer/read-answer.ts'
import { explainBrokenData } from '../transfer/request-data.ts'
import { openSink } from '../transfer/sink.ts'
import { requestFrom } from '../transfer/storage-request.ts'
import { barFor } from '../transfer/transfer-bar.ts'
import { endOnSignals } from './stop-on-signals.ts'

export function fetchCommand(): Command {
  const command = new Command('fetch')
    .description(
      'Sends a request to the storage with a storage token, which it renews when needed, and writes the body of the response to standard output. If the status is not 2xx, it writes no output and prints the reason in one line.',
    )
    .argument('<target>', `${targetForm}; main if left out`)
    .argument('<path>', 'the path below casUrl, with its query')
    .option('-X, --request <method>', 'The method. Default: GET, with data POST.')
    .option(
      '-H, --header <line>',
      'An additional header: "Range: bytes=0-99". May be given more than once.',
      collect,
    )
    .option(
      '--data-binary <data>',
      'The data to send: a text, @FILE, or @- for standard input. Data from standard input or a pipe cannot be sent again with a new token.',
    )
    .option(
      '-o, --output <file>',
      'Write the response to this file, which is replaced once the response is complete.',
    )
    .option(
      '--scope <read|write>',
      'The scope of the token. Default: the scope that method and path need.',
    )
    .addHelpText('after', teaching)
    .action(fetchPath)
  return addConfigurationFlags(command, 'client')
}

const teaching = `
Examples:
  latchkey fetch models/acme/bert@main /v1/reconstructions/<hash>
  latchkey fetch models/acme/bert@main /v1/xorbs/default/<hash> -o xorb.bin -H 'Range: bytes=0-99'
  latchkey fetch models/acme/bert@main /v1/shards --data-binary @shard.bin

The path is relative to the casUrl that the hub returns. latchkey sets the Authorization header.
On a terminal, a transfer of more than a second shows its progress.`

async function fetchPath(target: string, path: string, flags: Flags): Promise<void> {
  const meant = parseTarget(target)
  const request = requestFrom(flags)
  const login = await currentLogin(flags, process.env)
  const { output } = flags
  endOnSignals()
  const sink = openSink(typeof output === 'string' ? output : undefined)
  const bar = barFor(output)
  try {
    await withClient(login, meant, async (client) => {
      const { onUploadProgress, onDownloadProgress } = bar?.watch ?? {}
      const progress = {
        ...(onUploadProgress && { onUploadProgress }),
        ...(onDownloadProgress && { onDownloadProgress }),
      }
      const response = await client.fetch(path, { ...request, ...progress })
      bar?.answered()
      if (!response.ok) throw await refusalOf(response, { method: request.method, path })
      await sink(dataOf(response))
    })
  } catch (error) {
    throw explainBrokenData(error)
  } finally {
    bar?.end()
    // Whoever writes there may never end, and is no longer waited for.
    if (request.body instanceof Readable) request.body.destroy()
  }
}

function collect(line: string, before: readonly string[] = []): string[] {
  return [...before, line]
}
