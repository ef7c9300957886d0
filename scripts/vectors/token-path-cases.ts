/** Targets of token requests, and what a hub reads in them; every expectation is written down by hand. */

export interface TokenPathCase {
  readonly name: string
  readonly target: string
  readonly route?: 'storage' | 'xet'
  readonly scope?: 'read' | 'write'
  readonly repository?: string | null
  readonly revision?: WrittenRevision
  readonly error?: 'not_found'
}

type WrittenRevision =
  | { readonly commit: string }
  | { readonly ref: string }
  | { readonly branch: string; readonly tag: string }
  | { readonly impossible: string }

const bert = 'models/acme/bert'
const route = `/api/${bert}/storage-read-token`
const hash = '0123456789abcdef0123456789abcdef01234567'
const long = 'a'.repeat(255)

const bare = (name: string): WrittenRevision => ({
  branch: `refs/heads/${name}`,
  tag: `refs/tags/${name}`,
})

function names(name: string, target: string, more: Partial<TokenPathCase> = {}): TokenPathCase {
  const main = {
    route: 'storage',
    scope: 'read',
    repository: bert,
    revision: bare('main'),
  } as const
  return { name, target, ...main, ...more }
}

function namesNothing(name: string, target: string): TokenPathCase {
  return { name, target, error: 'not_found' }
}

const revisions: readonly (readonly [segment: string, revision: WrittenRevision])[] = [
  ['dev', bare('dev')],
  ['v1.0', bare('v1.0')],
  ['Main', bare('Main')],
  ['%6D%61in', bare('main')],
  ['feature/x', bare('feature/x')],
  ['feature%2Fx', bare('feature/x')],
  ['feature%2fx', bare('feature/x')],
  ['feature%2Fx%231%252F%2B%C3%A9', bare('feature/x#1%2F+é')],
  ['a%252Fb', bare('a%2Fb')],
  ['a%2525b', bare('a%25b')],
  ['a+b', bare('a+b')],
  ['!$&()+,;=@x', bare('!$&()+,;=@x')],
  ['%F0%9F%97%9D', bare('🗝')],
  ['e%CC%81', bare('e\u0301')],
  ['storage-read-token/main', bare('storage-read-token/main')],
  ['heads/main', bare('heads/main')],
  ['0123456', bare('0123456')],
  [hash.slice(1), bare(hash.slice(1))],
  [`${hash}0`, bare(`${hash}0`)],
  [long, bare(long)],
  ['refs%2Fheads%2Fmain', { ref: 'refs/heads/main' }],
  ['refs%2fheads/main', { ref: 'refs/heads/main' }],
  ['refs/heads/main', { ref: 'refs/heads/main' }],
  ['refs/tags/v1.0', { ref: 'refs/tags/v1.0' }],
  ['refs%2Fpr%2F1', { ref: 'refs/pr/1' }],
  ['refs/pr/1', { ref: 'refs/pr/1' }],
  [hash, { commit: hash }],
  [hash.toUpperCase(), { commit: hash }],
  ['ab'.repeat(32), { commit: 'ab'.repeat(32) }],
  ['%61'.repeat(40), { commit: 'a'.repeat(40) }],
]

/** No ref can have these names, so the hub finds no revision. */
const impossible: readonly (readonly [name: string, segment: string, text: string])[] = [
  ['a NUL', '%00', '\u0000'],
  ['an encoded space', 'a%20b', 'a b'],
  ['an encoded line break', 'a%0Ab', 'a\nb'],
  ['a DEL', 'a%7F', 'a\u007f'],
  ['a slash at the end', 'main/', 'main/'],
  ['a slash at the beginning', '/main', '/main'],
  ['two slashes', 'a//b', 'a//b'],
  ['a climb', '../x', '../x'],
  ['an encoded climb', '%2e%2e%2fx', '../x'],
  ['two dots', 'a..b', 'a..b'],
  ['a part that begins with a dot', 'a/.b', 'a/.b'],
  ['a part that ends in .lock', 'a.lock', 'a.lock'],
  ['a tilde', 'main~1', 'main~1'],
  ['a caret', 'main%5E', 'main^'],
  ['a colon', 'a:b', 'a:b'],
  ['a star', 'a*', 'a*'],
  ['a backslash', 'a%5Cb', 'a\\b'],
  ['a reflog', 'main@%7B1%7D', 'main@{1}'],
  ['HEAD', 'HEAD', 'HEAD'],
  ['None', 'None', 'None'],
  ['@', '%40', '@'],
  ['a hyphen at the beginning', '-x', '-x'],
  ['no kind of ref', 'refs/main', 'refs/main'],
  ['a full ref in a branch', 'refs/heads/refs/heads/main', 'refs/heads/refs/heads/main'],
  ['a hash as a branch', `refs/heads/${hash}`, `refs/heads/${hash}`],
  ['40 zeros', '0'.repeat(40), '0'.repeat(40)],
  ['256 bytes', 'a'.repeat(256), 'a'.repeat(256)],
  ['256 bytes of longer characters', '%C3%A9'.repeat(128), 'é'.repeat(128)],
]

/** No repository can have these names. */
const odd: readonly (readonly [name: string, segment: string])[] = [
  ['a climb', '..'],
  ['an encoded climb', '%2e%2e'],
  ['an encoded slash', 'a%2Fb'],
  ['an encoded slash in small letters', 'a%2fb'],
  ['an encoding of an encoding', 'a%252Fb'],
  ['a NUL', 'a%00'],
  ['an encoded space', 'a%20b'],
  ['an accent', '%C3%A9'],
  ['a plus', 'a+b'],
  ['97 characters', 'a'.repeat(97)],
  ['a dot at the beginning', '.a'],
  ['a dot at the end', 'a.'],
  ['a hyphen at the beginning', '-a'],
  ['.git', '.git'],
  ['an end of .git', 'bert.git'],
]

const undecodable: readonly (readonly [name: string, segment: string])[] = [
  ['an encoding that is none', 'main%ZZ'],
  ['an encoding cut short', 'main%2'],
  ['a lone percent sign', 'main%'],
  ['an overlong slash of two bytes', 'a%C0%AFb'],
  ['an overlong slash of three bytes', 'a%E0%80%AFb'],
  ['an overlong NUL', 'a%C0%80'],
  ['a lone continuation byte', 'a%80'],
  ['half a surrogate pair', 'a%ED%A0%80'],
  ['a character beyond Unicode', 'a%F4%90%80%80'],
]

export const tokenPathDocument = {
  about: [
    'Targets of token requests, as in the request line, and what a hub reads in them.',
    'error: the target is no token request, so the hub answers 404 with this code, whatever the hub token. Every other target is one: without a hub token, the hub answers 401 hub_token_missing.',
    'route: storage, or xet, which a hub serves only in compatibility mode. repository: type, namespace and name, or null if no repository can have this name (404 repository_not_found).',
    'revision: the commit, in lower case; the full name of the ref; or the branch and the tag of a bare name, of which the tag counts first. impossible: no ref can have this name (404 revision_not_found), apart from the names that a compatible hub understands.',
  ],
  cases: [
    names('a model', `${route}/main`),
    names('a dataset', '/api/datasets/acme/bert/storage-read-token/main', {
      repository: 'datasets/acme/bert',
    }),
    names('a space', '/api/spaces/acme/bert/storage-read-token/main', {
      repository: 'spaces/acme/bert',
    }),
    names('a write token', `/api/${bert}/storage-write-token/main`, { scope: 'write' }),
    names('the route of Hugging Face clients', `/api/${bert}/xet-read-token/main`, {
      route: 'xet',
    }),
    names('their route to write', `/api/${bert}/xet-write-token/main`, {
      ...{ route: 'xet', scope: 'write' },
    }),
    names('names with capitals', '/api/models/Acme/BERT/storage-read-token/main', {
      repository: 'models/Acme/BERT',
    }),
    names('names with every kind of character', '/api/models/a_1/b-2.c/storage-read-token/main', {
      repository: 'models/a_1/b-2.c',
    }),
    names('encoded names', '/api/models/%61cme/b%65rt/storage-read-token/main'),
    names('a name of 96 characters', `/api/models/acme/${'a'.repeat(96)}/storage-read-token/main`, {
      repository: `models/acme/${'a'.repeat(96)}`,
    }),
    ...['?', '?create_pr=1', '?1700000000', '?a?b', '?/../x', '?%ZZ', '?revision=dev'].map(
      (query) => names(`the query ${query}`, `${route}/main${query}`),
    ),
    ...['http://hub.example', 'https://hub.example:8080', 'HTTP://hub.example'].map((authority) =>
      names(`the absolute form with ${authority}`, `${authority}${route}/main`),
    ),
    ...revisions.map(([segment, revision]) =>
      names(`the revision ${segment}`, `${route}/${segment}`, { revision }),
    ),
    ...impossible.map(([name, segment, text]) =>
      names(`a revision with ${name}`, `${route}/${segment}`, { revision: { impossible: text } }),
    ),
    ...odd.flatMap(([name, segment]) => [
      names(`a namespace with ${name}`, `/api/models/${segment}/bert/storage-read-token/main`, {
        repository: null,
      }),
      names(`a name with ${name}`, `/api/models/acme/${segment}/storage-read-token/main`, {
        repository: null,
      }),
    ]),
    namesNothing('no revision', route),
    namesNothing('an empty revision', `${route}/`),
    namesNothing('an empty revision before a query', `${route}/?main`),
    namesNothing('no name', '/api/models/acme/storage-read-token/main'),
    namesNothing('a name of two segments', '/api/models/acme/bert/x/storage-read-token/main'),
    namesNothing('an empty namespace', '/api/models//bert/storage-read-token/main'),
    namesNothing('an empty name', '/api/models/acme//storage-read-token/main'),
    namesNothing('a type in the singular', '/api/model/acme/bert/storage-read-token/main'),
    namesNothing('a type that is none', '/api/kernels/acme/bert/storage-read-token/main'),
    namesNothing('a type in capitals', '/api/Models/acme/bert/storage-read-token/main'),
    namesNothing('an encoded letter in a type', '/api/mode%6Cs/acme/bert/storage-read-token/main'),
    namesNothing('an encoded hyphen', '/api/models/acme/bert/storage%2Dread-token/main'),
    namesNothing('another scope', '/api/models/acme/bert/storage-admin-token/main'),
    namesNothing('a scope in capitals', '/api/models/acme/bert/storage-READ-token/main'),
    namesNothing('another word', '/api/models/acme/bert/cas-read-token/main'),
    namesNothing('a segment in front', `/v1${route}/main`),
    namesNothing('two slashes in front', `/${route}/main`),
    namesNothing('an encoded slash before the revision', `${route}%2Fmain`),
    namesNothing('an encoded slash in the id', '/api/models/acme%2Fbert/storage-read-token/main'),
    ...undecodable.flatMap(([name, segment]) => [
      namesNothing(`a revision with ${name}`, `${route}/${segment}`),
      namesNothing(`a name with ${name}`, `/api/models/acme/${segment}/storage-read-token/main`),
      namesNothing(
        `a namespace with ${name}`,
        `/api/models/${segment}/bert/storage-read-token/main`,
      ),
    ]),
  ],
}
