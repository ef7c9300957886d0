/** `latchkey fetch models/acme/bert@main /v1/…`: asks the storage as curl would, and brings the token. */

import { Readable } from 'node:stream'
import { Command } from 'commander'
import { parseTarget, targetForm } from '../client/target.ts'
import { withClient } from '../client/with-client.ts'
import { addConfigurationFlags } from '../configuration/flags.ts'
import type { Flags } from '../configuration/read-configuration.ts'
import { findLogin } from '../credentials/find-login.ts'
import { dataOf, refusalOf } from '../transfer/read-answer.ts'
import { explainBrokenData } from '../transfer/request-data.ts'
import { openSink } from '../transfer/sink.ts'
import { requestFrom } from '../transfer/storage-request.ts'
import { barFor } from '../transfer/transfer-bar.ts'
import { endOnSignals } from './stop-on-signals.ts'

export function fetchCommand(): Command {
  const command = new Command('fetch')
    .description(
      'Sends a request to the storage with a token of the right scope, which is renewed where that is needed, and writes the answer to standard output byte for byte. For any answer but 2xx nothing is written, and one line says why.',
    )
    .argument('<target>', `${targetForm}; main if left out`)
    .argument('<path>', 'the path below casUrl, with its query')
    .option('-X, --request <method>', 'The method. Default: GET, with data POST.')
    .option(
      '-H, --header <line>',
      'Another header: "Range: bytes=0-99". May be given more than once.',
      collect,
    )
    .option(
      '--data-binary <data>',
      'What to send: the text itself, @ and a file, or @- for standard input. Standard input and pipes cannot be sent again with a new token.',
    )
    .option(
      '-o, --output <file>',
      'Write the answer to this file, which is replaced once all of it is there.',
    )
    .option('--scope <read|write>', 'The scope of the token. Default: what method and path want.')
    .addHelpText('after', teaching)
    .action(fetchPath)
  return addConfigurationFlags(command, 'client')
}

const teaching = `
Examples:
  latchkey fetch models/acme/bert@main /v1/reconstructions/<hash>
  latchkey fetch models/acme/bert@main /v1/xorbs/default/<hash> -o xorb.bin -H 'Range: bytes=0-99'
  latchkey fetch models/acme/bert@main /v1/shards --data-binary @shard.bin

The path stands below the casUrl that the hub names. The Authorization header is latchkey's own.
A transfer of more than a second shows how far it is on a terminal, and nothing in a pipe.`

async function fetchPath(target: string, path: string, flags: Flags): Promise<void> {
  const meant = parseTarget(target)
  const request = requestFrom(flags)
  const login = findLogin(flags, process.env)
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
