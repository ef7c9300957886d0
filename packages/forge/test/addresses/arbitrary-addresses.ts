/** Names, revisions and paths as real clients write them into addresses. */

import { isName, parseRevision } from '@latchkey/protocol'
import fc from 'fast-check'
import { parseFilePath } from '../../src/words/file-path.ts'
import { isTakenNamespace } from '../../src/words/taken-namespaces.ts'

const letters = (unit: string, maxLength: number) =>
  fc.string({ unit: fc.constantFrom(...unit), minLength: 1, maxLength })

export const arbitraryName = fc
  .oneof(
    { weight: 4, arbitrary: letters('abXY019._-', 8) },
    fc.constantFrom('tree', 'resolve', 'refs', 'api', 'revision', 'info', 'models'),
  )
  .filter(isName)

export const arbitraryNamespace = arbitraryName.filter((name) => !isTakenNamespace(name))

export const arbitraryRevisionText = fc
  .oneof(
    { weight: 3, arbitrary: letters('abX1/%#+é?&', 10) },
    fc.constantFrom('main', 'refs/pr/1', 'refs/convert/parquet', 'None', 'HEAD', 'a'.repeat(40)),
  )
  .filter((text) => parseRevision(text).kind !== 'impossible' || text === 'None')

export const arbitraryFilePath = letters('ab./ %#+é?&:', 12).filter(
  (path) => typeof parseFilePath(path) === 'string',
)

/** Any target: pieces of real ones, and what breaks them. */
export const arbitraryTarget = fc
  .array(
    fc.constantFrom(
      ...[
        '/api',
        '/models',
        '/datasets',
        '/acme',
        '/bert',
        '/bert.git',
        '/tree',
        '/resolve',
        '/main',
      ],
      ...[
        '/refs',
        '/pr',
        '/1',
        '/info',
        '/git-upload-pack',
        '/lfs',
        '/objects/batch',
        '/a%2Fb',
        '/%2e%2e',
      ],
      ...[
        '/..',
        '/.',
        '//',
        '/%',
        '%2F',
        '%252F',
        '%00',
        '%C0%AE',
        '/é',
        '?service=git-upload-pack',
        '#',
      ],
      ...[
        '/revision',
        '/commit',
        '/whoami-v2',
        '\\',
        ' ',
        '?',
        '&',
        'http://hub',
        '/settings',
        '/repositories',
      ],
    ),
    { maxLength: 9 },
  )
  .map((pieces) => pieces.join(''))
