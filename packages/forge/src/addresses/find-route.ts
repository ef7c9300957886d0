/** Finds the route of a request, and reads its address: the repository, the revision and the path that it names. */

import {
  branchName,
  decodeOnce,
  isName,
  isRefusal,
  parseRevision,
  parseTokenPath,
  pathOf,
  type RefName,
  type Refusal,
  type RepoRef,
  type RepoType,
  type Revision,
  refuse,
  repoRef,
  repoTypes,
  tagName,
} from '@latchkey/protocol'
import { type RouteRow, routeTable } from '@latchkey/service/http/routes'
import { GrowingCache } from '@latchkey/service/limits/cache'
import { type FilePath, parseFilePath } from '../words/file-path.ts'
import { type LfsOid, parseLfsOid } from '../words/pointer.ts'
import { quoted } from '../words/quoted.ts'
import { isTakenNamespace } from '../words/taken-namespaces.ts'

export interface RepoAddress {
  /** Undefined when no repository can have this name: answered like one that is absent. */
  readonly repo: RepoRef | undefined
}

export interface RevisionAddress extends RepoAddress {
  readonly revision: Revision
}

export interface RevisionAndPath {
  /** Its kind is `impossible` when no ref can be called so. */
  readonly revision: Revision
  /** Undefined for the root folder. */
  readonly path: FilePath | undefined
}

/** The parts of an address by their names in the pattern of a route. */
interface AddressParts {
  repo: RepoAddress
  type: { readonly type: RepoType }
  /** Repositories have no name without a namespace. */
  bare: { readonly bare: string }
  organization: { readonly namespace: string | undefined }
  'revision...': { readonly revision: Revision }
  'at...': RevisionAndPath
  'file...': { readonly revision: Revision; readonly path: FilePath }
  /** Undefined when no branch or tag can be called so. */
  'branch...': { readonly branch: RefName | undefined }
  'tag...': { readonly tag: RefName | undefined }
  number: { readonly number: number }
  oid: { readonly oid: LfsOid }
}

type AllOf<Union> = (Union extends unknown ? (part: Union) => void : never) extends (
  all: infer All,
) => void
  ? All
  : never

type PartsAt<Pattern extends string> = {
  [Name in keyof AddressParts]: Pattern extends `${string}{${Name}}${string}`
    ? AddressParts[Name]
    : never
}[keyof AddressParts]

/** The address of a route, by its pattern. */
export type AddressAt<Pattern extends string> = AllOf<PartsAt<Pattern>>

/** How a pattern begins, and the paths that it stands for. Models have no word of their own outside `/api`. */
// biome-ignore format: a table is read by its columns
const starts: readonly (readonly [start: string, path: (type: RepoType) => string])[] = [
  ['/api/{repo}',  (type) => `/api/${type}s/{namespace}/{name}`],
  ['/api/{type}',  (type) => `/api/${type}s`],
  ['/api/{bare}',  (type) => `/api/${type}s/{bare}`],
  ['/api/{other}', (type) => `/api/${type}s/{any}/{any}`],
  ['/{repo}.git',  (type) => type === 'model' ? '/{owner}/{gitName}' : `/${type}s/{namespace}/{gitName}`],
  ['/{repo}',      (type) => type === 'model' ? '/{owner}/{name}' : `/${type}s/{namespace}/{name}`],
  ['/{bare}',      (type) => type === 'model' ? '/{bareOwner}' : `/${type}s/{bare}`],
  ['/{other}',     (type) => type === 'model' ? '/{owner}/{any}' : `/${type}s/{any}/{any}`],
]

export interface AddressRow extends RouteRow {
  /** As it is written in the table of routes. */
  readonly pattern: string
  readonly type?: RepoType | undefined
}

/** One row for each type of repository, or a single one where the pattern names none. */
export function rowsAt<More extends object>(
  method: RouteRow['method'],
  pattern: string,
  more: More,
): readonly (AddressRow & NoInfer<More>)[] {
  const wrongMethod = (allow: string) => `This address is for ${allow}.`
  const row = { ...more, method, pattern, wrongMethod }
  const [start, pathOfType] = starts.find(([one]) => pattern.startsWith(one)) ?? []
  if (start === undefined || pathOfType === undefined) return [{ ...row, path: pattern }]
  const rest = pattern.slice(start.length)
  return repoTypes.map((type) => ({ ...row, type, path: pathOfType(type) + rest }))
}

export interface FoundAddress<Row> {
  readonly row: Row
  /** Typed as the handler of the row takes it. */
  readonly address: never
}

/** Gives undefined for a target that no row is for, and a refusal for one that its row denies. */
export type FindAddress<Row> = (
  method: string,
  target: string,
) => FoundAddress<Row> | Refusal | undefined

export function addressTable<Row extends AddressRow>(
  rows: readonly Row[],
  more: ReadSegments = {},
): FindAddress<Row> {
  const findRow = routeTable<Row, Readonly<Record<string, unknown>>>(rows, { ...readers, ...more })
  return (method, target) => {
    const found = isWellFormed(target) ? findRow(method, target) : undefined
    if (found === undefined || isRefusal(found)) return found
    // A repository may be called `tree`. Its tokens are the hub's business.
    if (parseTokenPath(target) !== undefined) return undefined
    const { row } = found
    const parts: ReadParts = Object.assign({}, ...Object.values(found.values).filter(isPart))
    const { namespace, name, ...rest } = parts
    const repo =
      row.type !== undefined && namespace !== undefined && name !== undefined
        ? { repo: repoRef(row.type, namespace, name) }
        : undefined
    const address = { ...(repo ?? parts), ...(repo ? rest : row.type && { type: row.type }) }
    return { row, address: address as never }
  }
}

/** Two clients of three send HEAD and then GET. What an address means depends on nothing but its text. */
export function rememberedAddresses<Row extends AddressRow>(
  find: FindAddress<Row>,
  rows: readonly Row[],
): FindAddress<Row> {
  const served = rows.some(({ method }) => method === 'HEAD') ? 'HEAD' : 'GET'
  const found = new GrowingCache<string, NonNullable<ReturnType<FindAddress<Row>>>>({
    most: maxRememberedLength,
    sizeOf: (_, key) => 2 * key.length + overheadLength,
  })
  return (method, target) => {
    const key = `${method === 'HEAD' ? served : method} ${target}`
    const foundAddress = found.get(key)
    if (foundAddress !== undefined) return foundAddress
    const address = find(method, target)
    if (address !== undefined) found.set(key, address)
    return address
  }
}

const maxRememberedLength = 4 * 1024 * 1024
/** An address takes so much beside its text, which it holds in parts once more. */
const overheadLength = 1000

interface ReadParts {
  readonly namespace?: string
  readonly name?: string
}

function isPart(value: unknown): value is ReadParts {
  return typeof value === 'object'
}

/** A path of 4096 bytes, each of them encoded, and names before it. */
const maxPathLength = 14_000

/**
 * A segment that is neither empty nor a dot segment, in any spelling: proxies resolve these, and
 * would route elsewhere.
 */
const segment = '(?!(?:\\.|%2e){1,2}(?:/|$))[!-"$-.0->@-~]+'
const shape = new RegExp(`^(?:/${segment})+$`, 'i')

/** False for a target that no client writes and that another server may read differently. */
function isWellFormed(target: string): boolean {
  const path = pathOf(target)
  return path.length <= maxPathLength && shape.test(path)
}

/** Each reads the raw text that stands in place of its name, and decodes it once. */
export type ReadSegments = Readonly<Record<string, (raw: string) => object | undefined>>

const readers: ReadSegments = {
  owner: (raw) =>
    decoded(raw, (namespace) => (isTakenNamespace(namespace) ? undefined : { namespace })),
  namespace: (raw) => decoded(raw, (namespace) => ({ namespace })),
  name: (raw) => decoded(raw, (name) => ({ name })),
  // With or without `.git` behind the name, as git's own users write it.
  gitName(raw) {
    const name = decodeOnce(raw.replace(/\.git$/, ''))
    return name === undefined ? undefined : { name }
  },
  bareOwner: (raw) => decoded(raw, (name) => (isTakenNamespace(name) ? undefined : { bare: raw })),
  bare: (raw) => ({ bare: raw }),
  organization: (raw) => decoded(raw, (name) => ({ namespace: isName(name) ? name : undefined })),
  revision: (raw) => decoded(raw, (text) => ({ revision: parseRevision(text) })),
  at: readRevisionAndPath,
  file(raw) {
    const read = readRevisionAndPath(raw)
    return read !== undefined && 'path' in read && read.path === undefined ? undefined : read
  },
  branch: (raw) => decoded(raw, (text) => ({ branch: branchName(text) })),
  tag: (raw) => decoded(raw, (text) => ({ tag: tagName(text) })),
  number: (raw) => (/^[1-9]\d{0,9}$/.test(raw) ? { number: Number(raw) } : undefined),
  oid(raw) {
    const oid = parseLfsOid(raw)
    return oid && { oid }
  },
}

/** Undefined where nothing stands there, or it cannot be decoded. Whether slashes were encoded makes no difference. */
function decoded<Part>(raw: string, read: (text: string) => Part | undefined): Part | undefined {
  const text = raw === '' ? undefined : decodeOnce(raw)
  return text === undefined ? undefined : read(text)
}

/** The path is one encoded segment or several plain ones. */
function readRevisionAndPath(raw: string): RevisionAndPath | Refusal | undefined {
  const segments = raw.split('/')
  const length = plainRefLength(segments)
  const revision = decoded(segments.slice(0, length).join('/'), parseRevision)
  if (revision === undefined) return undefined
  if (segments.length === length) return { revision, path: undefined }
  const path = decoded(segments.slice(length).join('/'), parseFilePath)
  return path === undefined || isRefusal(path) ? path : { revision, path }
}

/** `refs/pr/1` and `refs/convert/parquet` are written without encoding; every other revision is one segment. */
function plainRefLength([first, second, third = '']: readonly string[]): number {
  const isPlainRef =
    first === 'refs' &&
    ((second === 'pr' && /^[1-9]\d{0,9}$/.test(third)) ||
      (second === 'convert' && /^\w{1,64}$/.test(third)))
  return isPlainRef ? 3 : 1
}

/** Old addresses name some repositories without a namespace. Here every repository has one. */
export function withoutNamespace({ bare }: AddressParts['bare']): Refusal {
  const detail = `${quoted(bare)} has no namespace. Name the repository as namespace/name.`
  return refuse('bad_request', detail)
}
