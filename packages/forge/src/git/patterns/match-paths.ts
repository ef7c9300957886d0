/** Has git itself compare paths with the text of a `.gitattributes` or a `.gitignore`, within a bound of processor time. */

import { mkdir, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { feed } from '../process/feed.ts'
import type { CallOptions, GitCommands } from '../process/git-commands.ts'

export interface MatchRequest {
  /** As the file at the top of a repository has it. */
  readonly text: string
  readonly paths: readonly string[]
  readonly signal?: AbortSignal | undefined
}

export interface MatchTools {
  /** The path of a folder that does not exist yet. */
  newFolder(): string
  commandsIn(folder: string): GitCommands
  /** Beyond the bound the kernel ends git, and `GitFailed` has the reason `cpu`. */
  readonly cpuSeconds: number
}

/** The value of the attribute `filter` of each path, or `unspecified`. */
export async function filtersOf(tools: MatchTools, request: MatchRequest): Promise<string[]> {
  const { text, paths, signal } = request
  if (text.trim() === '') return paths.map(() => unspecified)
  return withRules(tools, { text, config: byAttributes }, async (commands) => {
    const args = ['check-attr', '--stdin', '-z', 'filter']
    const values: string[] = []
    // Path, attribute and value of each.
    const add = (field: string, at: number) => {
      if (at % 3 === 2) values.push(field)
    }
    await ask(commands, { args, input: namesOf(paths), add }, optionsOf(tools, signal))
    return values
  })
}

export const unspecified = 'unspecified'

/** Git repeats each path, and no caller has more than its own bounds allow. */
function optionsOf({ cpuSeconds }: MatchTools, signal: AbortSignal | undefined): CallOptions {
  return { cpuSeconds, signal, maxBytes: Number.POSITIVE_INFINITY }
}

/** Whether each path is left out. */
export async function ignoredOf(tools: MatchTools, request: MatchRequest): Promise<boolean[]> {
  const { text, paths, signal } = request
  if (text.trim() === '') return paths.map(() => false)
  return withRules(tools, { text, config: byIgnore }, async (commands) => {
    const args = ['check-ignore', '--no-index', '--stdin', '-z', '--verbose', '--non-matching']
    const env = { GIT_WORK_TREE: join(commands.folder, 'tree'), GIT_LITERAL_PATHSPECS: '0' }
    const ignored: boolean[] = []
    // Source, line, pattern and path of each.
    const add = (field: string, at: number) => {
      if (at % 4 === 2) ignored.push(field !== '' && !field.startsWith('!'))
    }
    // Git takes a colon at the start for a sign of its own, and ends with 1 where no path is ignored.
    const input = namesOf(paths, './')
    await ask(commands, { args, input, add }, { ...optionsOf(tools, signal), env, otherExit: 1 })
    return ignored
  })
}

/** Git looks for the file from the folder that it works in: this one, or the work tree. */
const byAttributes = '[core]\n\tbare = true\n\tattributesFile = rules\n'
const byIgnore = '[core]\n\tbare = false\n\texcludesFile = ../rules\n'

/** An empty repository, so that no setting, attribute or file of another one counts. */
async function withRules<Result>(
  { newFolder, commandsIn }: MatchTools,
  { text, config }: { readonly text: string; readonly config: string },
  work: (commands: GitCommands) => Promise<Result>,
): Promise<Result> {
  const folder = newFolder()
  try {
    for (const name of ['', 'objects', 'refs', 'tree']) await mkdir(join(folder, name), 0o700)
    await writeFile(join(folder, 'HEAD'), 'ref: refs/heads/main\n')
    await writeFile(join(folder, 'config'), config)
    await writeFile(join(folder, 'rules'), text)
    return await work(commandsIn(folder))
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

interface Question {
  readonly args: readonly string[]
  readonly input: AsyncIterable<Uint8Array>
  /** Called with each field of the answer. */
  add(field: string, at: number): void
}

async function ask(
  commands: GitCommands,
  { args, input, add }: Question,
  options: CallOptions,
): Promise<void> {
  const process = await commands.start(args, options)
  const feeding = feed(process, input)
  let rest: Buffer = Buffer.alloc(0)
  let at = 0
  for await (const part of process.output()) {
    const output = rest.length === 0 ? part : Buffer.concat([rest, part])
    let start = 0
    for (let end = output.indexOf(0); end !== -1; end = output.indexOf(0, start)) {
      add(output.toString('latin1', start, end), at)
      at += 1
      start = end + 1
    }
    rest = output.subarray(start)
  }
  await feeding
}

const namesAtOnce = 500

/** In parts, so that other requests are served in between. */
async function* namesOf(paths: readonly string[], before = ''): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < paths.length; at += namesAtOnce) {
    const names = paths.slice(at, at + namesAtOnce).map((path) => `${before}${path}\0`)
    yield Buffer.from(names.join(''))
  }
}
