/** `latchkey upload models/acme/bert@main FILE`: puts files into the storage, and prints what they are called there. */

import { Readable } from 'node:stream'
import { startUpload, type UploadedFile } from '@latchkey/xet'
import { Command } from 'commander'
import { parseTarget, targetForm } from '../client/target.ts'
import { withClient } from '../client/with-client.ts'
import { addConfigurationFlags } from '../configuration/flags.ts'
import type { Flags } from '../configuration/read-configuration.ts'
import { findLogin } from '../credentials/find-login.ts'
import { escapeText } from '../output/escape.ts'
import { jsonText, print } from '../output/show-result.ts'
import { wrongUsage } from '../output/stop.ts'
import { explainMisdelivery } from '../transfer/explain-misdelivery.ts'
import { fileBytes } from '../transfer/file-bytes.ts'
import { explainBrokenData, openData } from '../transfer/request-data.ts'
import { barFor } from '../transfer/transfer-bar.ts'
import { uploadCalls } from '../transfer/upload-calls.ts'
import { endOnSignals } from './end-on-signals.ts'

export function uploadCommand(): Command {
  const command = new Command('upload')
    .description(
      'Uploads files to the storage of a repository and ref, and prints the hash of each, by which it is downloaded. What the storage is found to have already is not sent again. Either all of the files are there in the end, or none.',
    )
    .argument('<target>', `${targetForm}; main if left out`)
    .argument('<file...>', 'the files; - is standard input')
    .option('--json', 'Print hash, bytes, uploadedBytes and deduplicatedBytes of each as JSON.')
    .addHelpText('after', teaching)
    .action(uploadFiles)
  return addConfigurationFlags(command, 'client')
}

const teaching = `
Examples:
  latchkey upload models/acme/bert@main model.safetensors
  latchkey upload datasets/acme/corpus a.parquet b.parquet --json
  tar -c checkpoints | latchkey upload models/acme/bert@refs/pr/1 -

One file prints its hash alone; several print a line each, hash and name.
In JSON, uploadedBytes are those sent, packed; deduplicatedBytes those found there, unpacked.`

async function uploadFiles(target: string, files: string[], flags: Flags): Promise<void> {
  const meant = parseTarget(target)
  if (files.indexOf('-') !== files.lastIndexOf('-')) {
    throw wrongUsage('<file...>: standard input can be read once; name - once')
  }
  const data = files.map(openData)
  const login = findLogin(flags, process.env)
  endOnSignals()
  const bar = barFor(undefined)
  try {
    const uploaded = await withClient(login, meant, async (client) => {
      const upload = startUpload(uploadCalls(client))
      const done: UploadedFile[] = []
      for (const bytes of await fileBytes(data, bar?.watch.onUploadProgress)) {
        done.push(await upload.add(bytes))
      }
      await upload.finish()
      return done.map((one, index) => ({ file: files[index] ?? '', ...one }))
    })
    bar?.end()
    print(flags['json'] === true ? jsonText({ files: uploaded }) : linesOf(uploaded))
  } catch (error) {
    throw explainMisdelivery(explainBrokenData(error))
  } finally {
    bar?.end()
    // Whoever writes there may never end, and is no longer waited for.
    for (const one of data) if (one instanceof Readable) one.destroy()
  }
}

interface Named extends UploadedFile {
  readonly file: string
}

function linesOf(files: readonly Named[]): string {
  const line = ({ hash, file }: Named) =>
    files.length === 1 ? hash : `${hash}  ${escapeText(file)}`
  return files.map((one) => `${line(one)}\n`).join('')
}
