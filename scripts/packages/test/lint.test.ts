/** What others check packages with has nothing to say about ours. */

import { readFileSync } from 'node:fs'
import { checkPackage, createPackageFromTarballData } from '@arethetypeswrong/core'
import { rounds } from '@latchkey/testing/chance'
import { publint } from 'publint'
import { formatMessage } from 'publint/utils'
import { expect, inject, test } from 'vitest'

/** Ours are ES modules alone: what only concerns `require` and the resolution of Node 10 is not a fault. */
const others: readonly (string | undefined)[] = ['node10', 'node16-cjs']

test.each(inject('tarballs'))('publint finds nothing in $name', async ({ file }) => {
  const { messages, pkg } = await publint({
    pack: { tarball: new Uint8Array(readFileSync(file)).buffer },
    strict: true,
  })
  expect(messages.map((message) => formatMessage(message, pkg))).toEqual([])
})

/** Entries that the guides for clients and gates import; a soak looks at the others. */
const documented = ['@latchkey/client', '@latchkey/gate', '@latchkey/xet']
/** The command cannot be imported, and the vectors are JSON. */
const withoutTypes = ['latchkey', '@latchkey/vectors']
const imported = inject('tarballs').filter(({ name }) =>
  rounds(0, 1) === 1 ? !withoutTypes.includes(name) : documented.includes(name),
)

test.each(imported)('the types of $name are right for every way to import it', async ({ file }) => {
  const checked = await checkPackage(createPackageFromTarballData(readFileSync(file)))
  if (!checked.types) throw new Error('it has no types')
  expect(Object.keys(checked.entrypoints).length).toBeGreaterThan(0)
  const found = checked.problems.filter(
    (problem) => !('resolutionKind' in problem && others.includes(problem.resolutionKind)),
  )
  expect(found).toEqual([])
})
