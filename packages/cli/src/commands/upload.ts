/** `latchkey upload models/acme/bert@main FOLDER`: puts files into the storage, and writes down what they are called there. */

import { startUpload } from '@latchkey/xet'
import { Command } from 'commander'
import { currentLogin } from '../client/current-login.ts'
import { parseTarget, type Target, targetForm } from '../client/target.ts'
import { type TransferClient, withTransferClient } from '../client/with-client.ts'
import { addConfigurationFlags } from '../configuration/flags.ts'
import type { Flags } from '../configuration/read-configuration.ts'
import type { Login } from '../credentials/find-login.ts'
import { writeManifest } from '../manifest/write-manifest.ts'
import { jsonText, print } from '../output/show-result.ts'
import { tell } from '../output/tell.ts'
import { textOf } from '../reading/members-of.ts'
import { explainMisdelivery } from '../transfer/explain-misdelivery.ts'
import type { ProgressBar } from '../transfer/progress-bar.ts'
import { addRetryTimeout, retryTimeoutFrom } from '../transfer/retry-timeout.ts'
import { uploadCalls } from '../transfer/storage-calls.ts'
import { barFor } from '../transfer/transfer-bar.ts'
import { checkNames, collectSources, type Source } from '../upload/collect-sources.ts'
import { manifestPlace } from '../upload/manifest-place.ts'
import {
  downloadWords,
  hashLines,
  leftOutLines,
  type NamedFile,
  stoppedLine,
  summaryLine,
  withKept,
} from '../upload/result-words.ts'
import { endOnSignals } from './stop-on-signals.ts'

/** Each that waits takes up to 3 MiB of memory. */
const maxAtOnce = 16

export function uploadCommand(): Command {
  const command = new Command('upload')
    .description(
      'Uploads files and folders to the storage of a repository and ref. It does not send content again that the storage already has. It registers all of the files, or none. After an interruption, the same command continues.',
    )
    .argument('<target>', `${targetForm}; main if left out`)
    .argument('<file...>', 'files and folders; - is standard input')
    .option(
      '--manifest <file>',
      'Write the names and hashes of all files to this file, for latchkey download --manifest. Default: FOLDER.manifest.json in the current directory for a folder, none for files.',
    )
    .option('--json', 'Print hash, bytes, uploadedBytes and deduplicatedBytes of each as JSON.')
    .addHelpText('after', teaching)
    .action(upload)
  return addConfigurationFlags(addRetryTimeout(command), 'client')
}

const teaching = `
Examples:
  latchkey upload models/acme/bert@main bert
  latchkey upload models/acme/bert@main model.safetensors
  latchkey upload datasets/acme/corpus a.parquet b.parquet --json
  tar -c checkpoints | latchkey upload models/acme/bert@refs/pr/1 -

With a manifest, the command that downloads everything is printed last. A file in a folder has its
path below that folder as its name: a/b/1.txt of the folder a is b/1.txt. A file that you name
yourself has the last part of its path: x/2.txt is 2.txt. Without a manifest, one file prints its
hash alone, and several print a line each.
The command uploads all regular files of a folder, also hidden ones, but not those in .git. Links
are not followed, and empty folders are not kept. A manifest never lies inside a folder that is
uploaded.
In JSON, uploadedBytes counts the bytes sent after compression; deduplicatedBytes counts the bytes
that the storage already had, before compression.`

async function upload(targetText: string, names: string[], flags: Flags): Promise<void> {
  const target = parseTarget(targetText)
  const collected = collectSources(names)
  const manifest = manifestPlace(textOf(flags['manifest']), collected, target)
  if (manifest !== undefined) checkNames(collected.sources)
  const login = await currentLogin(flags, process.env)
  for (const line of leftOutLines(collected.leftOut)) tell(`latchkey: ${line}`)
  const files = await send(collected.sources, {
    target,
    login,
    retryTimeout: retryTimeoutFrom(flags),
  })
  if (manifest !== undefined) {
    writeManifest(manifest, { repository: target.repo, revision: target.revision, files })
  }
  if (flags['json'] === true) return print(jsonText(asJson(files, manifest)))
  if (manifest === undefined) return print(hashLines(files))
  tell(summaryLine(files, manifest))
  print(`${downloadWords(target, manifest, flags)}\n`)
}

interface Destination {
  readonly target: Target
  readonly login: Login
  readonly retryTimeout: number
}

async function send(
  sources: readonly Source[],
  { target, login, retryTimeout }: Destination,
): Promise<readonly NamedFile[]> {
  const bar = barFor(undefined)
  let savedBytes = 0
  endOnSignals(() => {
    bar?.end()
    return stoppedLine(savedBytes)
  })
  const open = countPassing(sources, bar?.watch.onReadProgress)
  try {
    const work = async (client: TransferClient) => {
      const upload = startUpload(uploadCalls(client), {
        onAcknowledged(bytes) {
          savedBytes = bytes
        },
      })
      const done = await addAhead(sources, async (source) => {
        const { file, path } = source
        return { file, path, ...(await upload.add(open(source))) }
      })
      await upload.finish()
      return done
    }
    return await withTransferClient(login, target, work, retryTimeout)
  } catch (error) {
    throw withKept(explainMisdelivery(error), savedBytes)
  } finally {
    bar?.end()
    for (const source of sources) source.close()
  }
}

/** Names in the manifest are told where there is one. */
function asJson(files: readonly NamedFile[], manifest: string | undefined): object {
  if (manifest !== undefined) return { files, manifest }
  return { files: files.map(({ path, ...file }) => file) }
}

type OnProgress = ProgressBar['watch']['onReadProgress']

/** Gives what opens a source; the total is known where all sizes are. */
function countPassing(
  sources: readonly Source[],
  onProgress: OnProgress = () => {},
): (source: Source) => AsyncIterable<Uint8Array> {
  const total = sources.reduce<number | undefined>(
    (sum, { size }) => (sum === undefined || size === undefined ? undefined : sum + size),
    0,
  )
  let passed = 0
  return async function* (source) {
    const parts = source.open()[Symbol.asyncIterator]()
    try {
      let memory: unknown
      for (;;) {
        const { done, value } = await parts.next(memory)
        if (done) return
        // The memory that the reader wants the next part in.
        memory = yield value
        passed += value.length
        onProgress(passed, total)
      }
    } finally {
      await parts.return?.()
    }
  }
}

/** Gives the results in the order of the sources, in which they are begun too. */
export async function addAhead<Result>(
  sources: readonly Source[],
  add: (source: Source) => Promise<Result>,
): Promise<Result[]> {
  const results: Promise<Result>[] = []
  const running = new Set<Promise<unknown>>()
  for (const source of sources) {
    if (running.size === maxAtOnce) await Promise.race(running)
    const adding = add(source)
    results.push(adding)
    const done: Promise<unknown> = adding.then(() => running.delete(done))
    running.add(done)
    // A failure is met where it is waited for.
    done.catch(() => {})
  }
  return Promise.all(results)
}
