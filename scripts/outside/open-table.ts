/** A folder in which the cells of the table are tried: each project is installed once, and written once in each form. */

import { mkdirSync, mkdtempSync, rmSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import type { Tarball } from '../pack.ts'
import { type Cell, type Form, type NodeMajor, oldestNode, type Project } from './cells.ts'
import { tarballsFolder } from './documented.ts'
import { folderOfForm, writeForm } from './forms.ts'
import { openHub } from './hub.ts'
import { install, Missing } from './install.ts'
import { type Machine, machineWith } from './machine.ts'
import { buildNext, startNext } from './next.ts'
import { once } from './once.ts'
import { tryDemo } from './try-demo.ts'
import { tryGate } from './try-gate.ts'
import { tryProgram } from './try-program.ts'

export interface Table {
  /** Fails with what is wrong, or with `Missing`. */
  try(cell: Cell): Promise<void>
  close(): Promise<void>
}

/** `prepareHub` gets the folder of the hub that all cells share, before the command is installed there. */
export function openTable(
  tarballs: readonly Tarball[],
  prepareHub?: (folder: string) => void,
): Table {
  const folder = mkdtempSync(join(tmpdir(), 'latchkey-outside-'))
  const command = fileOf('latchkey', tarballs)
  symlinkSync(dirname(command), join(folder, tarballsFolder))
  const workshop = openWorkshop(folder, prepareHub)
  return {
    try: (cell) =>
      cell.project === 'latchkey'
        ? tryCommand(cell, command, workshop)
        : tryWritten(cell, workshop),
    async close() {
      for (const opened of await Promise.allSettled(workshop.hub.all())) {
        if (opened.status === 'fulfilled') await opened.value.stop()
      }
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

/** What cells share: each is made once, when the first cell needs it. */
function openWorkshop(folder: string, prepareHub?: (folder: string) => void) {
  const machineOf = (node: NodeMajor): Machine => {
    const machine = machineWith(node, join(folder, `node-${node}`))
    if (machine === undefined) throw new Missing(`Node ${node} is not installed`)
    return machine
  }
  const installed = once(async (project: Cell['project']) => {
    const [path, machine] = [join(folder, project), machineOf(oldestNode(project))]
    await install(project, path, machine, project === 'latchkey' ? prepareHub : undefined)
    return path
  })
  const written = once(async (project: Project, form: Form) => {
    const path = await installed(project)
    if (project === 'gate-next') await buildNext(path, form, machineOf(oldestNode(project)))
    else await writeForm(path, form)
    return path
  })
  const hub = once(async () => openHub(await installed('latchkey'), machineOf(20)))
  return { folder, machineOf, written, hub }
}

type Workshop = ReturnType<typeof openWorkshop>

/** In a folder of its own, because the demo's data must be new. */
async function tryCommand(
  { node, form }: Cell & { project: 'latchkey' },
  tarball: string,
  { folder, machineOf }: Workshop,
): Promise<void> {
  const [machine, cwd] = [machineOf(node), join(folder, `demo-${node}-${form}`)]
  if (form === 'installed') {
    await install('latchkey', cwd, machine)
    return tryDemo({ cwd, npx: ['latchkey'] }, machine)
  }
  mkdirSync(cwd)
  return tryDemo({ cwd, npx: ['--yes', '--package', tarball, 'latchkey'] }, machine)
}

async function tryWritten(
  { project, node, form }: Cell & { project: Project },
  { machineOf, written, hub }: Workshop,
): Promise<void> {
  const machine = machineOf(node)
  const surroundings = { cwd: await written(project, form), env: machine.env }
  const main = [machine.node, join(folderOfForm[form], 'main.js')] as const
  if (project === 'client' || project === 'xet') {
    return tryProgram(project, main, surroundings, await hub())
  }
  const next = (port: number) => [machine.node, ...startNext(form, port)] as const
  return tryGate(project === 'gate-next' ? next : () => main, surroundings, await hub())
}

function fileOf(name: string, tarballs: readonly Tarball[]): string {
  const found = tarballs.find((tarball) => tarball.name === name)
  if (found === undefined) throw new Error(`${name} is not packed`)
  return found.file
}
