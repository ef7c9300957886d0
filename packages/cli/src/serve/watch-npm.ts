/** Notices that npm, which ran this command, has ended: its shell hands no signal on. */

import { readFileSync } from 'node:fs'

const lookAgainMs = 500

type Environment = Readonly<Record<string, string | undefined>>

/** Acts once, and only where npm runs this command and nothing else. */
export function whenNpmEnds(act: () => void): void {
  if (!isRunByNpmAlone(process.env)) return
  const first = parents()
  const timer = setInterval(() => {
    if (parents() === first) return
    clearInterval(timer)
    act()
  }, lookAgainMs)
  timer.unref()
}

/** A script of several commands may leave this one running on purpose. */
export function isRunByNpmAlone({ npm_lifecycle_script: script = '' }: Environment): boolean {
  return /^'?latchkey'?(?: [^&;|]*)?$/.test(script)
}

/** The shell of npm, and npm; without /proc only the first. A process whose parent ends gets another one. */
function parents(): string {
  const shell = process.ppid
  return `${shell} ${parentOf(shell)}`
}

function parentOf(pid: number): string {
  try {
    return /^.*\) \S (\d+)/s.exec(readFileSync(`/proc/${pid}/stat`, 'utf8'))?.[1] ?? ''
  } catch {
    return ''
  }
}
