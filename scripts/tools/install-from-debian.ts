/** Installs packages of Debian, without starting the servers among them. */

import { rmSync, writeFileSync } from 'node:fs'
import { findProgram } from '@latchkey/testing/tools/find-program'
import { run } from './run.ts'

/** Whether this user may install anything at all. */
export function mayInstall(): boolean {
  return process.getuid?.() === 0 && findProgram('apt-get') !== undefined
}

/** A package that fails is named afterwards, because its program is then still missing. */
export async function installFromDebian(packages: readonly string[]): Promise<void> {
  if (packages.length === 0) return
  const names = [...new Set(packages)]
  await withoutStartingServices(async () => {
    await apt('update')
    if (await apt('install', ...names)) return
    // A package that this Debian does not have must not keep the others away.
    for (const name of names) await apt('install', name)
  })
}

function apt(verb: string, ...names: readonly string[]): Promise<boolean> {
  const options = ['-y', '-qq', '--no-install-recommends', '-o', 'Dpkg::Use-Pty=0']
  return run('apt-get', [verb, ...options, ...names], {
    env: { ...process.env, DEBIAN_FRONTEND: 'noninteractive' },
    stdio: ['ignore', 'ignore', 'inherit'],
  })
}

/**
 * Debian starts a server as soon as it is installed, unless this file says no. One that is already there is the
 * machine's own decision; containers mostly have one.
 */
async function withoutStartingServices(act: () => Promise<void>): Promise<void> {
  const policy = '/usr/sbin/policy-rc.d'
  const text =
    '#!/bin/sh\n# Of the tests of latchkey while they install programs; may be removed.\nexit 101\n'
  let isOurs = false
  try {
    writeFileSync(policy, text, { flag: 'wx', mode: 0o755 })
    isOurs = true
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'EEXIST')) return
  }
  // Interrupted, apt ends, and this goes on to clean up.
  const stay = () => {}
  process.on('SIGINT', stay).on('SIGTERM', stay)
  try {
    await act()
  } finally {
    if (isOurs) rmSync(policy, { force: true })
    process.off('SIGINT', stay).off('SIGTERM', stay)
  }
}
