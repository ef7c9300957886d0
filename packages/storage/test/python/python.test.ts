/** The unmodified `huggingface_hub` with `hf_xet`, through tokens of the hub and the storage behind them. */

import { sharedFolder } from '@latchkey/testing/machine/folder'
import { isInstalled, pythonClients } from '@latchkey/testing/tools/python-environments'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { openStage, type Stage } from '../real-clients/stage.ts'
import { fetchedBytes, sentXorbBytes, takenXorbs, tokensIn } from '../real-clients/transfers.ts'
import { bundledThreads } from '../threads/bundled-threads.ts'
import { type Outcome, runPython } from './run-python.ts'
import { change, severalXorbs, type TestFiles, writeTestFiles } from './test-files.ts'

/** In one process, which remembers what it has uploaded. */
const steps = [
  ...['write_by_reader', 'write_to_missing_revision', 'read_missing_revision'],
  ...['sizes', 'packed', 'places', 'pull_request'],
]
const sizes = ['empty', 'one', 'some', 'many']

const folder = sharedFolder()
let files: TestFiles
beforeAll(() => {
  files = writeTestFiles(folder)
})

for (const environment of pythonClients) {
  const { name, python, packages } = environment
  const asksForGrants = packages['hf_xet'] === '1.8.0'
  const isMissing = !isInstalled(environment)
  if (isMissing) console.warn(`NOT TESTED: ${name} is not installed, so nothing is uploaded by it`)

  describe.skipIf(isMissing)(`${name} with hf_xet`, () => {
    let stage: Stage
    let ended: Readonly<Record<string, Outcome>>
    let sentOnce: number

    beforeAll(async () => {
      stage = await openStage({ openPool: bundledThreads })
      const setting = { python, stage, folder }
      ended = await runPython(setting, [...steps, 'first_of_two', 'several'])
      sentOnce = sentXorbBytes(await passedAt('models/acme/bert', 'several'))
      const later = await runPython(setting, ['second_of_two', 'several_again'])
      ended = { ...ended, ...later }
    })
    afterAll(() => stage?.close())

    const passedAt = async (repository: string, revision: string) => {
      const here = await stage.placeOf(repository, revision)
      return stage.door.passed.filter(({ place }) => place === here)
    }

    // conformance: Embedded storage / Unmodified clients upload and download
    test('shows a 403 for a read-only hub token as what it is', () => {
      expect(ended['write_by_reader']).toEqual({
        raised: 'HfHubHTTPError',
        message: expect.stringMatching(/403 Forbidden: .*this needs a hub token of kind write/),
      })
    })

    test.each(['write_to_missing_revision', 'read_missing_revision'])(
      'raises RevisionNotFoundError for %s',
      (step) => {
        expect(ended[step]).toEqual({
          raised: 'RevisionNotFoundError',
          message: expect.stringContaining('There is no such revision in this repository.'),
        })
      },
    )

    test('brings files of any size up and back', async () => {
      expect(ended['sizes']).toEqual({ gave: sha256Each(sizes) })
      const bytes = sizes.reduce((total, each) => total + lengthOf(each), 0)
      expect(sentXorbBytes(await passedAt('models/acme/bert', 'main'))).toBeGreaterThan(bytes)
      expect(fetchedBytes(stage.door.passed)).toBeGreaterThan(bytes)
    })

    test('packs what can be packed and reads it back', async () => {
      expect(ended['packed']).toEqual({ gave: sha256Each(['lines', 'numbers']) })
      const sent = sentXorbBytes(await passedAt('models/acme/bert', 'slow'))
      expect(sent).toBeGreaterThan(0)
      expect(sent).toBeLessThan((lengthOf('lines') + lengthOf('numbers')) * 0.8)
    })

    // conformance: Embedded storage / Unmodified clients upload and download
    test('sends the same file whole to every repository and branch', async () => {
      const { same } = sha256Each(['same'])
      expect(ended['places']).toEqual({ gave: [same, same, same, same] })
      for (const repository of ['models/acme/bert', 'datasets/acme/words']) {
        for (const branch of ['one', 'other']) {
          const sent = sentXorbBytes(await passedAt(repository, branch))
          expect(sent, `${repository} ${branch}`).toBeGreaterThan(lengthOf('same'))
        }
      }
    })

    if (asksForGrants) {
      test('uploads through the storage where it is granted no way around', () => {
        const calls = stage.door.passed.filter(({ call }) =>
          call.startsWith('POST /v1/xorb-grants/'),
        )
        expect(calls.length).toBeGreaterThan(0)
        expect(new Set(calls.map(({ status }) => status))).toEqual(new Set([404]))
      })
    }

    test('opens a pull request whose content can be read', () => {
      const { proposed } = sha256Each(['proposed'])
      expect(ended['pull_request']).toEqual({ gave: { revision: 'refs/pr/1', read: proposed } })
    })

    test('sends nothing of a long file that a later process sends again', async () => {
      expect(ended['several_again']).toEqual({ gave: sha256Each(['several']) })
      const passed = await passedAt('models/acme/bert', 'several')
      expect(takenXorbs(passed).length).toBe(severalXorbs)
      expect(sentXorbBytes(passed)).toBe(sentOnce)
    })

    test('sends only the difference of a file that the storage has a similar one of', async () => {
      expect(ended['second_of_two']).toEqual({ gave: sha256Each(['first', 'second']) })
      const sent = sentXorbBytes(await passedAt('datasets/acme/words', 'similar'))
      expect(sent).toBeGreaterThan(lengthOf('first') + change.length)
      expect(sent).toBeLessThan(lengthOf('first') + change.length + 500_000)
    })

    // For another client it is shown always: ../real-clients/short-lives.test.ts.
    test('asks for tokens again and again where none lives long enough for it', {
      tags: 'soak',
      timeout: 120_000,
    }, async () => {
      const brief = await openStage({ lifetimeSeconds: 20 })
      try {
        const done = await runPython({ python, stage: brief, folder }, ['sizes'])
        expect(done['sizes']).toEqual({ gave: sha256Each(sizes) })
        expect(tokensIn(brief.door.passed).size).toBeGreaterThan(2)
      } finally {
        await brief.close()
      }
    })
  })
}

function lengthOf(name: string): number {
  return files[name]?.length ?? 0
}

function sha256Each(names: readonly string[]): Readonly<Record<string, string | undefined>> {
  return Object.fromEntries(names.map((name) => [name, files[name]?.sha256]))
}
