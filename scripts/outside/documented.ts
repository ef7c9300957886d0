/** The commands with which the documents say that a package is installed. */

import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { root } from '../packages/packages.ts'
import type { Cell } from './cells.ts'

const files = [
  'README.md',
  ...globSync('docs/**/*.md', { cwd: root }),
  ...globSync('packages/*/README.md', { cwd: root }),
]

export interface Documented {
  readonly file: string
  /** Without what a comment says. */
  readonly command: string
}

/** Those that install something of ours. */
export const documented: readonly Documented[] = commandsLike('npm install [^#`\\n]*latchkey')

export const inCheckout: readonly Documented[] = commandsLike(
  'npm ci && npm (?:start|run pack:all)',
)

/** In a block or inside of a sentence. */
function commandsLike(beginning: string): readonly Documented[] {
  const pattern = new RegExp(`^(${beginning}[^#\\n]*)|\`(${beginning}[^\`]*)\``, 'gm')
  return files.flatMap((file) => {
    const found = readFileSync(join(root, file), 'utf8').matchAll(pattern)
    return Array.from(found, ([, line = '', word = '']) => ({
      file,
      command: (line || word).trim(),
    }))
  })
}

/** The page that has the commands for tarballs. */
const installPage = 'docs/start/install.md'

/** A part of the command that installs a project. */
const partOf: Readonly<Record<Cell['project'], string>> = {
  client: '{protocol,client}',
  xet: '{protocol,client,xet}',
  'gate-fetch': ',gate}',
  'gate-express': ',gate}',
  'gate-fastify': ',gate}',
  'gate-hono': ',gate}',
  'gate-next': ',gate}',
  latchkey: 'latchkey-[0-9]',
}

/** How docs/guides/run-as-a-service.md has a supervisor start the hub: a program below the folder of the installation, and its words. */
export function serviceCommand(): readonly [program: string, ...words: string[]] {
  const text = readFileSync(join(root, 'docs/guides/run-as-a-service.md'), 'utf8')
  const [, program, file] = /^ExecStart=\/srv\/latchkey\/(\S+) (\S+) serve /m.exec(text) ?? []
  if (program === undefined || file === undefined) {
    throw new Error('docs/guides/run-as-a-service.md does not tell how a supervisor starts the hub')
  }
  return [program, file, 'serve']
}

/** Where the commands look for tarballs, beside the folder of a project. */
export const tarballsFolder = 'latchkey-packages'

export function installCommand(project: Cell['project']): string {
  const found = documented.find(
    ({ file, command }) => file === installPage && command.includes(partOf[project]),
  )
  if (found === undefined) throw new Error(`${installPage} does not show how to install ${project}`)
  return found.command
}
