/** Runs commands on a pseudo-terminal and turns the output, colours included, into HTML. */

import { spawnSync } from 'node:child_process'

interface Session {
  readonly cwd: string
  readonly env: Readonly<Record<string, string>>
}

/** The prompt, the command and its output, as HTML for a `pre` element. */
export function runOnTerminal(command: string, { cwd, env }: Session, typed = command): string {
  const { stdout, status } = spawnSync('script', ['-qec', command, '/dev/null'], {
    ...{ cwd, encoding: 'utf8', stdio: ['ignore', 'pipe', 'inherit'] },
    env: { TERM: 'xterm-256color', LANG: 'C.UTF-8', ...env },
  })
  if (status === null) throw new Error(`${command} was killed`)
  return `<b class="prompt">$</b> ${escaped(typed)}\n${colouredHtml(lastStateOfLines(stdout))}`
}

/** A progress bar overwrites its line: only the last state counts. */
function lastStateOfLines(output: string): string {
  const lines = output.replaceAll('\r\n', '\n').split('\n')
  return lines.map((line) => line.split('\r').at(-1)).join('\n')
}

const colourNames: Readonly<Record<string, string>> = {
  1: 'bold',
  2: 'dim',
  31: 'red',
  32: 'green',
  33: 'yellow',
  36: 'cyan',
  90: 'dim',
}

function colouredHtml(text: string): string {
  let open = 0
  const html = text.split(/(\u001b\[[0-9;?]*[A-Za-z])/).map((part) => {
    const [, codes] = /^\u001b\[([0-9;]*)m$/.exec(part) ?? []
    if (codes === undefined) return part.startsWith('\u001b') ? '' : escaped(part)
    const name = colourNames[codes]
    if (name === undefined) {
      const ends = '</span>'.repeat(open)
      open = 0
      return ends
    }
    open += 1
    return `<span class="${name}">`
  })
  return html.join('') + '</span>'.repeat(open)
}

export function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;')
}

export const terminalStyle = `
  .terminal { background: #0d1117; color: #e6edf3; border-radius: 8px; overflow: hidden; border: 1px solid #30363d }
  .terminal pre { margin: 0; padding: 14px 18px; font: 13px/1.5 'DejaVu Sans Mono', monospace; white-space: pre-wrap }
  .prompt, .green { color: #3fb950 } .red { color: #ff7b72 } .cyan { color: #79c0ff } .yellow { color: #d29922 }
  .dim { color: #9198a1 } .bold { font-weight: bold }
`
