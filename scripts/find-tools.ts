/** Finds the programs that tests drive beside npm's, installs them from Debian where it may, or says what is missing. */

import { spawnSync } from 'node:child_process'

/** The program, and what cannot be tested without it. */
const tools = {
  curl: 'the commands on the demo screen are pasted into a shell',
  git: 'ref names are compared with git',
}

const missing = Object.keys(tools).filter((tool) => !isThere(tool))
if (missing.length > 0 && process.getuid?.() === 0 && isThere('apt-get')) install(missing)
for (const [tool, use] of Object.entries(tools)) {
  if (isThere(tool)) console.log(`${tool} is here`)
  else console.warn(`NOT FOUND: ${tool}. It is not tested that ${use}. Install it and run again.`)
}

function isThere(tool: string): boolean {
  return spawnSync(tool, ['--version'], { stdio: 'ignore' }).status === 0
}

function install(packages: readonly string[]): void {
  const options = {
    stdio: 'inherit',
    env: { ...process.env, DEBIAN_FRONTEND: 'noninteractive' },
  } as const
  spawnSync('apt-get', ['update', '-q'], options)
  spawnSync('apt-get', ['install', '-y', '-q', ...packages], options)
}
