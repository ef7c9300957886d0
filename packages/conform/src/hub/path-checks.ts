/** The parts of the path: type, repository, scope and revision. */

import type { Check } from '../check.ts'
import { firstFault, type HubRow, type HubTarget, tokenPath, usualRequest } from './hub-target.ts'
import { worldCommits } from './world.ts'

const profiles = ['token-api'] as const

/** Requests of an account that may read all repositories. */
function read(path: string, ...expected: readonly HubRow[1][]): HubRow {
  return [{ path, as: 'reader/read' }, ...(expected as [HubRow[1]])]
}

function revision(name: string, ...expected: readonly HubRow[1][]): HubRow {
  return read(tokenPath({ revision: name }), ...expected)
}

function checkOf(
  id: string,
  clause: Check<HubTarget>['clause'],
  title: string,
  rows: readonly HubRow[],
): Check<HubTarget> {
  return { id, clause, profiles, title, run: (hub) => firstFault(hub, rows) }
}

export const pathChecks: readonly Check<HubTarget>[] = [
  checkOf(
    'get-issues-token',
    'Endpoints / The method is GET',
    'A GET request with nothing but Host and Authorization gets a token',
    [[{ ...usualRequest, isBare: true }, '200']],
  ),
  checkOf(
    'repository-types',
    'Resources / repo_type is model, dataset or space',
    'Models, datasets and spaces have tokens, and repositories of one type are no others',
    [
      read(tokenPath(), '200'),
      read(tokenPath({ type: 'datasets', id: 'conform/data' }), '200'),
      read(tokenPath({ type: 'spaces', id: 'conform/demo' }), '200'),
      read(tokenPath({ type: 'datasets' }), '404'),
      read(tokenPath({ type: 'model' }), '404'),
      // No type of any hub: a hub may know "kernels" and not serve them.
      read(tokenPath({ type: 'things' }), '404'),
    ],
  ),
  checkOf(
    'repository-id',
    'Resources / repo_id is a namespace and a name with one slash',
    'A repository has exactly two segments, and letters keep their case',
    [
      read(tokenPath({ id: 'conform/Odd.name_1-x' }), '200'),
      read(tokenPath({ id: 'conform/odd.name_1-x' }), '404'),
      read(tokenPath({ id: 'CONFORM/Odd.name_1-x' }), '404'),
      read(tokenPath({ id: 'private' }), '404'),
      read(tokenPath({ id: 'conform/private/main' }), '404'),
    ],
  ),
  checkOf(
    'token-types',
    'Resources / token_type is read or write',
    'A token is for reading or writing, and no other word has a route',
    [
      read(tokenPath(), '200'),
      [{ path: tokenPath({ scope: 'write' }), as: 'writer/write' }, '200'],
      read(tokenPath({ scope: 'admin' }), '404'),
      read(tokenPath({ scope: 'READ' }), '404'),
    ],
  ),
  checkOf(
    'revision-kinds',
    'Resources / revision is a branch, a tag or a commit hash',
    'A branch, a tag and a commit hash have tokens',
    [
      revision('main', '200'),
      revision('dev', '200'),
      revision('v1.0', '200'),
      revision(worldCommits.main, '200'),
    ],
  ),
  checkOf(
    'four-parameters',
    'Endpoints / The path has four required parameters',
    'A path that lacks a parameter has no route',
    [
      revision('', '404'),
      read(tokenPath().replace(/\/main$/, ''), '404'),
      read(tokenPath({ scope: '' }), '404'),
      read('/api/models/conform/storage-read-token/main', '404'),
    ],
  ),
  checkOf(
    'decoded-once',
    'Revisions / The hub decodes a revision once, from one segment or several',
    'An encoded revision is decoded once, and slashes may stay as they are',
    [
      revision('feature/x', '200'),
      revision('feature%2Fx', '200'),
      revision('feature%2Fx%231%252F%2B%C3%A9', '200'),
      revision('feature%252Fx', '404'),
    ],
  ),
  checkOf(
    'byte-for-byte',
    'Revisions / The hub compares revisions byte for byte, up to 255 bytes',
    'A revision in other letters or another Unicode form is another revision',
    [
      revision('Main', '404'),
      revision('feature%2Fx%231%252F%2Be%CC%81', '404'),
      revision('x'.repeat(256), '404'),
    ],
  ),
  checkOf(
    'recorded-commits',
    'Revisions / A commit exists after it was recorded for this repository',
    'A recorded commit has a token, and no other commit and no short hash has one',
    [
      revision(worldCommits.old, '200'),
      revision(worldCommits.elsewhere, '404'),
      revision('0'.repeat(40), '404'),
      revision(worldCommits.old.slice(0, 8), '404'),
    ],
  ),
  checkOf(
    'ref-folders',
    'Revisions / Branches, tags and other refs have separate folders',
    'A full ref name finds only refs of its folder',
    [
      revision('refs%2Fheads%2Fmain', '200'),
      revision('refs%2Ftags%2Fv1.0', '200'),
      revision('refs%2Fpr%2F1', '200'),
      revision('refs%2Fheads%2Fv1.0', '404'),
      revision('refs%2Ftags%2Fmain', '404'),
    ],
  ),
  checkOf(
    'impossible-names',
    'Revisions / A name that no ref can have is not found',
    'A name that is no ref name gets 404',
    ['a..b', '%00', 'main.lock', 'main%20', 'main/', '-x', '.%2Fmain'].map((name) =>
      revision(name, '404'),
    ),
  ),
  checkOf(
    'unknown-query',
    'Revisions / The hub ignores unknown query parameters',
    'A query changes nothing',
    [revision('main?1795061042', '200'), revision('main?nothing=1&scope=write', '200')],
  ),
  checkOf(
    'unknown-paths',
    'Order of checks / 1. An unknown path or an invalid encoding gets 404 not_found',
    'An unknown path gets 404 before the hub asks for a hub token',
    [
      [{ path: '/api/nothing' }, '404 not_found'],
      [{ path: tokenPath({ revision: 'main%zz' }) }, '404 not_found'],
      [{ path: tokenPath({ revision: '%ff' }) }, '404 not_found'],
    ],
  ),
  checkOf(
    'doubled-slashes',
    'Attacks / 13. An attacker makes the checked path differ from the routed path',
    'A path with doubled slashes or dots has no route',
    [
      read(`/${tokenPath()}`, '404'),
      read(tokenPath().replace('/models', '//models'), '404'),
      read(tokenPath().replace('/private', '//private'), '404'),
      read(tokenPath().replace('/models', '/./models'), '404'),
      read(tokenPath({ id: 'conform/x/../private' }), '404'),
      read(tokenPath({ id: 'conform%2Fprivate' }), '404'),
    ],
  ),
]
