/** `latchkey download models/acme/bert@main HASH -o FILE`: gets files from the storage, whole and checked. */

import { blobReader, type DownloadCalls, downloadFile } from '@latchkey/xet/download'
import { Command } from 'commander'
import { currentLogin } from '../client/current-login.ts'
import { parseTarget, type Target, targetForm } from '../client/target.ts'
import { type TransferClient, withTransferClient } from '../client/with-client.ts'
import { addConfigurationFlags } from '../configuration/flags.ts'
import type { Flags } from '../configuration/read-configuration.ts'
import type { Login } from '../credentials/find-login.ts'
import { Stop } from '../output/stop.ts'
import { tell } from '../output/tell.ts'
import { amount } from '../transfer/amount.ts'
import { downloadAll } from '../transfer/download-all.ts'
import { downloadToFile, type OnFileProgress } from '../transfer/download-to-file.ts'
import { drainInto } from '../transfer/drain-into.ts'
import { explainMisdelivery } from '../transfer/explain-misdelivery.ts'
import { addRetryTimeout, retryTimeoutFrom } from '../transfer/retry-timeout.ts'
import { openSink } from '../transfer/sink.ts'
import { downloadCalls } from '../transfer/storage-calls.ts'
import { barFor } from '../transfer/transfer-bar.ts'
import { downloadOrder, type FileOrder, type StreamOrder } from './download-order.ts'
import { endOnSignals } from './stop-on-signals.ts'

export function downloadCommand(): Command {
  const command = new Command('download')
    .description(
      'Downloads a file by its hash, or files by their names in a manifest, as latchkey upload printed and wrote them. It checks each file against its hash before the file gets its name. If a download to a file is interrupted, the same command continues it.',
    )
    .argument('<target>', `${targetForm}; main if left out`)
    .argument(
      '[name...]',
      'the hash of the file: 64 hexadecimal digits, in lower case; with --manifest the names of files and folders in it, all if left out',
    )
    .option('--manifest <file>', 'Look up names in this manifest of latchkey upload.')
    .option(
      '-o, --output <path>',
      'Write to this file, which is replaced once the download is complete; - is standard output. With --manifest: write below this folder. Default: the current folder.',
    )
    .addHelpText('after', teaching)
    .action(download)
  return addConfigurationFlags(addRetryTimeout(command), 'client')
}

const teaching = `
Examples:
  latchkey download models/acme/bert@main <hash> -o model.safetensors
  latchkey download models/acme/bert@refs/pr/1 <hash> | tar -x
  latchkey download models/acme/bert --manifest bert.manifest.json -o bert
  latchkey download models/acme/bert tokenizer config.json --manifest bert.manifest.json

With a manifest, one file is written under its name in the manifest, or to the file after -o.
Files that exist with the same content are not downloaded again; other files with these names are
replaced, each once the new one is complete.
Output to standard output is checked too, but after it is written: check the exit code.`

async function download(target: string, names: string[], flags: Flags): Promise<void> {
  const meant = parseTarget(target)
  const order = downloadOrder(meant, names, flags)
  const login = await currentLogin(flags, process.env)
  const source = { login, target: meant, retryTimeout: retryTimeoutFrom(flags) }
  if (order.kind === 'stream') await downloadStream(order, source)
  else await downloadToDisk(order, source)
}

interface Source {
  readonly login: Login
  readonly target: Target
  readonly retryTimeout: number
}

async function downloadStream({ hash, output }: StreamOrder, source: Source): Promise<void> {
  endOnSignals()
  const sink = openSink(output)
  const bar = barFor(output)
  try {
    await withBlobs(source, async (calls) => {
      const { bytes, chunks } = await downloadFile(calls, hash)
      bar?.answered()
      const onProgress = bar?.watch.onDownloadProgress
      await drainInto(sink, chunks, (passed) => onProgress?.(passed, bytes))
    })
  } finally {
    bar?.end()
  }
}

/** After a failure or a signal, the bytes that came are kept for the next try. */
async function downloadToDisk(order: FileOrder, source: Source): Promise<void> {
  const bar = barFor('a file')
  const partial = keptDownload()
  endOnSignals(() => {
    bar?.end()
    return partial.stoppedLine()
  })
  const onProgress: OnFileProgress = (bytes, total) => {
    partial.at(bytes, total)
    bar?.watch.onDownloadProgress?.(bytes, total)
  }
  try {
    await withBlobs(source, (calls) => downloadFiles(calls, order, onProgress))
  } catch (error) {
    throw partial.explain(error)
  } finally {
    bar?.end()
  }
}

async function downloadFiles(
  calls: DownloadCalls,
  order: FileOrder,
  onProgress: OnFileProgress,
): Promise<void> {
  if (order.kind === 'file') return downloadToFile(calls, order.file, onProgress)
  const { downloaded, wereThere } = await downloadAll(calls, { ...order, onProgress })
  tell(`${downloaded} downloaded, ${wereThere} already present`)
}

async function withBlobs(
  { login, target, retryTimeout }: Source,
  download: (calls: DownloadCalls) => Promise<void>,
): Promise<void> {
  const blobs = blobReader()
  const work = (client: TransferClient) => download(downloadCalls(client, blobs, retryTimeout))
  try {
    await withTransferClient(login, target, work, retryTimeout)
  } catch (error) {
    throw explainMisdelivery(error)
  } finally {
    blobs.close()
  }
}

/** How much of a download to files is there: said when it is broken off, because the next one goes on from it. */
interface KeptDownload {
  /** Progress of all files together. */
  at(bytes: number, total: number): void
  stoppedLine(): string
  /** The error, and what is kept in spite of it. */
  explain(error: unknown): unknown
}

function keptDownload(): KeptDownload {
  let [savedBytes, total] = [0, 0]
  const sentence = () =>
    `${amount(savedBytes)} of ${amount(total)} are saved; run the same command to continue`
  return {
    at(bytes, all) {
      savedBytes = bytes
      total = all
    },
    stoppedLine: () =>
      savedBytes === 0 ? 'stopped before any data was saved' : `stopped: ${sentence()}`,
    explain: (error) =>
      error instanceof Stop && savedBytes > 0 && savedBytes < total
        ? new Stop(error.exitCode, `${error.message}; ${sentence()}`)
        : error,
  }
}
