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

/** Which of them a project is installed with. */
const ofProject: Readonly<Record<Cell['project'], readonly [file: string, part: string]>> = {
  client: ['docs/client.md', '{protocol,client}'],
  xet: ['docs/client.md', '{protocol,client,xet}'],
  'gate-fetch': ['docs/gate.md', ',gate}'],
  'gate-express': ['docs/gate.md', ',gate}'],
  'gate-fastify': ['docs/gate.md', ',gate}'],
  'gate-hono': ['docs/gate.md', ',gate}'],
  'gate-next': ['docs/gate.md', ',gate}'],
  latchkey: ['docs/operating.md', '.tgz'],
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
  const [file, part] = ofProject[project]
  const found = documented.find((each) => each.file === file && each.command.includes(part))
  if (found === undefined) throw new Error(`${file} does not tell how ${project} is installed`)
  return found.command
}
