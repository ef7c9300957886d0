/** Mutants that no test can notice, because they mean the same as the original. */

export interface Equivalent {
  readonly file: string
  /** The line as it stands in the source. */
  readonly at: string
  readonly change: string
  readonly why: string
}

const bearer = 'packages/protocol/src/bearer.ts'
const revision = 'packages/protocol/src/revision.ts'
const tokenPath = 'packages/protocol/src/token-path.ts'
const tooLong = 'return text.length * 3 > longestName && utf8.encode(text).length > longestName'
const threeNames =
  'if (namespace === undefined || name === undefined || revision === undefined) return undefined'
const encoded = "if (!segment.includes('%')) return segment"
const decide = 'packages/hub/src/permission/decide-permission.ts'
const tooLongToRepeat = "return text.length > 300 ? 'a name of that length' : text"
const whatIsMissing = 'packages/hub/src/permission/what-is-missing.ts'
const whatItSees = 'packages/hub/src/permission/what-it-sees.ts'
const reach = 'packages/hub/src/permission/reach.ts'
const refPattern = 'packages/protocol/src/ref-pattern.ts'
const role = 'packages/protocol/src/role.ts'
const stronger = "return other !== undefined && roleCovers(other, one ?? 'read') ? other : one"
const judged =
  'if (name.length > longestJudged || !name.startsWith(canonical.slice(0, wildcard))) return false'
const possible =
  "if (pattern === '' || pattern.length > 255 || !pattern.isWellFormed()) return false"
const answerCache = 'packages/hub/src/access/answer-cache.ts'
const findAccess = 'packages/hub/src/access/find-access.ts'
const account = "const account = accountId ?? ''"
const findRepository = 'packages/hub/src/access/find-repository.ts'
const refFacts = 'packages/hub/src/access/ref-facts.ts'
const before = 'before = before !== undefined && before < forkedNumber ? before : forkedNumber'
const repositoryFound =
  'found[repository] === undefined ? undefined : asRepositoryUid(found[repository])'
const verify = 'packages/token/src/verify-token.ts'
const head = 'return alg === undefined || kid === undefined ? undefined : { alg, kid }'

// biome-ignore format: a table is read by its columns
export const equivalent: readonly Equivalent[] = [
  { file: answerCache, at: 'let emptied = 0', change: '0 → 1', why: 'it is only compared with itself' },
  { file: answerCache, at: 'emptied += 1', change: '1 → 2', why: 'it is only compared with itself' },
  { file: findAccess, at: account, change: "accountId ?? '' → accountId", why: 'no account has the id "undefined"' },
  { file: findAccess, at: account, change: "'' → 'x'", why: 'no account has the id "x"' },
  { file: findRepository, at: 'const role = strongerRole(found.memberRole ?? undefined, found.collaboratorRole ?? undefined)', change: 'found.collaboratorRole ?? undefined → found.collaboratorRole', why: 'null covers no role either' },
  { file: refFacts, at: before, change: 'before !== undefined && before < forkedNumber → before < forkedNumber', why: 'undefined is not smaller than a number' },
  { file: refFacts, at: before, change: 'before < forkedNumber → before <= forkedNumber', why: 'both are the same number' },
  { file: bearer, at: 'const token68 = /^[A-Za-z0-9\\-._~+/]+=*$/', change: '/^[A-Za-z0-9\\-._~+/]+=*$/ → /^[A-Za-z0-9\\-._~+/]+=*$/i', why: 'the letters are listed in both cases' },
  { file: bearer, at: "if (value === undefined) return 'missing'", change: "if (value === undefined) return 'missing' → if (false) return 'missing'", why: 'what is not there matches no scheme either' },
  { file: revision, at: tooLong, change: 'text.length * 3 > longestName && utf8.encode(text).length > longestName → utf8.encode(text).length > longestName', why: 'the first half only saves the second' },
  { file: revision, at: tooLong, change: 'text.length * 3 > longestName → text.length * 3 >= longestName', why: 'the first half only saves the second' },
  { file: revision, at: tooLong, change: '3 → 4', why: 'the first half only saves the second' },
  { file: tokenPath, at: threeNames, change: 'namespace === undefined || name === undefined || revision === undefined → namespace === undefined || name === undefined', why: 'all groups match, or none' },
  { file: tokenPath, at: threeNames, change: 'namespace === undefined || name === undefined || revision === undefined → revision === undefined', why: 'all groups match, or none' },
  { file: tokenPath, at: threeNames, change: 'namespace === undefined || name === undefined → name === undefined', why: 'all groups match, or none' },
  { file: tokenPath, at: threeNames, change: 'namespace === undefined || name === undefined → namespace === undefined', why: 'all groups match, or none' },
  { file: tokenPath, at: "return path.startsWith('/') ? path : path.replace(/^https?:\\/\\/[^/]*/i, '')", change: "path.startsWith('/') ? path : path.replace(/^https?:\\/\\/[^/]*/i, '') → path.replace(/^https?:\\/\\/[^/]*/i, '')", why: 'a path that begins with a slash has no authority to take away' },
  { file: tokenPath, at: encoded, change: `${encoded} → if (false) return segment`, why: 'decoding what is not encoded changes nothing' },
  { file: tokenPath, at: encoded, change: "'%' → ''", why: 'decoding what is not encoded changes nothing' },
  { file: 'packages/token/src/parse-claims.ts', at: "return typeof value === 'object' && value !== null && !Array.isArray(value)", change: "typeof value === 'object' && value !== null && !Array.isArray(value) → typeof value === 'object' && value !== null", why: 'a JSON list has no named members' },
  { file: 'packages/gate/src/place/locate.ts', at: repositoryFound, change: `${repositoryFound} → asRepositoryUid(found[repository])`, why: 'the function changes the type alone' },
  { file: verify, at: head, change: 'alg === undefined || kid === undefined → kid === undefined', why: 'both groups match, or neither' },
  { file: verify, at: head, change: 'alg === undefined || kid === undefined → alg === undefined', why: 'both groups match, or neither' },
  { file: 'packages/hub/src/identity/hub-token.ts', at: 'if (prefix === undefined || !prefixes.has(prefix)) return undefined', change: 'prefix === undefined || !prefixes.has(prefix) → !prefixes.has(prefix)', why: 'no set of prefixes holds undefined' },
  { file: 'packages/hub/src/identity/read-credential.ts', at: "if (bearer === 'malformed') return invalidHubToken()", change: "if (bearer === 'malformed') return invalidHubToken() → if (false) return invalidHubToken()", why: 'without a token the next line refuses in the same words' },
  { file: 'packages/hub/src/identity/read-credential.ts', at: "if (bearer === 'malformed') return invalidHubToken()", change: "'malformed' → ''", why: 'without a token the next line refuses in the same words' },
  { file: 'packages/hub/src/issue/wanted-revision.ts', at: "const none = revision.kind === 'impossible' && revision.text === 'None'", change: "revision.kind === 'impossible' && revision.text === 'None' → revision.text === 'None'", why: 'only an impossible revision has a text' },
  { file: reach, at: "return [{ contents: 'read' }]", change: "'read' → ''", why: 'whatever is not write covers reading alone' },
  { file: reach, at: 'let specific = -1', change: '1 → 0', why: 'every pattern has a literal prefix, refs/ at least' },
  { file: reach, at: 'let specific = -1', change: '1 → 2', why: 'every pattern has a literal prefix, refs/ at least' },
  { file: refPattern, at: "const wildcard = canonical.indexOf('*')", change: "'*' → ''", why: 'the literal prefix only saves following the pattern from its start' },
  { file: refPattern, at: judged, change: 'name.length > longestJudged || !name.startsWith(canonical.slice(0, wildcard)) → !name.startsWith(canonical.slice(0, wildcard))', why: 'a name so long cannot exist; it is not worth matching' },
  { file: refPattern, at: judged, change: 'name.length > longestJudged → name.length >= longestJudged', why: 'no ref has a name of that length' },
  { file: refPattern, at: 'const longestJudged = 300', change: '300 → 301', why: 'no ref has a name of that length' },
  { file: refPattern, at: 'const longestJudged = 300', change: '300 → 299', why: 'no ref has a name of that length' },
  { file: refPattern, at: possible, change: "pattern === '' || pattern.length > 255 → pattern.length > 255", why: 'nothing behind refs/heads/ is an empty segment, which is refused below' },
  { file: refPattern, at: "!canonical.split('/').includes('') && (canonical.match(/\\*+/g)?.length ?? 0) <= mostWildcards", change: '0 → 1', why: 'one wildcard is as allowed as none' },
  { file: role, at: 'return held !== undefined && roles.indexOf(held) >= roles.indexOf(needed)', change: 'held !== undefined && roles.indexOf(held) >= roles.indexOf(needed) → roles.indexOf(held) >= roles.indexOf(needed)', why: 'no role stands before every role' },
  { file: role, at: stronger, change: "one ?? 'read' → one", why: 'every role covers none' },
  { file: role, at: stronger, change: "'read' → ''", why: 'every role covers none' },
  { file: role, at: stronger, change: "other !== undefined && roleCovers(other, one ?? 'read') → roleCovers(other, one ?? 'read')", why: 'no role covers nothing' },
  { file: decide, at: tooLongToRepeat, change: 'text.length > 300 → text.length >= 300', why: 'no ref has a name of that length' },
  { file: decide, at: tooLongToRepeat, change: '300 → 301', why: 'no ref has a name of that length' },
  { file: decide, at: tooLongToRepeat, change: '300 → 299', why: 'no ref has a name of that length' },
  { file: verify, at: "const [header = '', payload = '', signature = '', more] = token.split('.')", change: "'' → 'x'", why: 'a segment that is not there is refused like any other wrong one' },
  { file: verify, at: "const head = parseHeader(textOf(header) ?? '')", change: "'' → 'x'", why: 'what is no text is refused like any other wrong text' },
  { file: verify, at: "const head = parseHeader(textOf(header) ?? '')", change: "textOf(header) ?? '' → textOf(header)", why: 'what is no text is refused like any other wrong text' },
  { file: verify, at: "const claims = parseClaims(textOf(payload) ?? '')", change: "'' → 'x'", why: 'what is no text is refused like any other wrong text' },
  { file: verify, at: "const claims = parseClaims(textOf(payload) ?? '')", change: "textOf(payload) ?? '' → textOf(payload)", why: 'what is no text is refused like any other wrong text' },
  { file: refPattern, at: 'for (const piece of pattern.match(/\\*\\*?[^*]*/g) ?? []) ends = endsOf(piece, name, ends)', change: 'pattern.match(/\\*\\*?[^*]*/g) ?? [] → pattern.match(/\\*\\*?[^*]*/g)', why: 'what comes here begins with a wildcard' },
  { file: whatIsMissing, at: "const holding = scope === 'write' && ref !== undefined ? everHolding(ref) : []", change: "scope === 'write' && ref !== undefined → ref !== undefined", why: 'every ref takes the same role to read' },
  { file: whatItSees, at: 'if (seen.has(holder.uid) || !mayRead(holder)) continue', change: 'seen.has(holder.uid) || !mayRead(holder) → !mayRead(holder)', why: 'it was seen with the same moment, and its ancestors with it' },
  { file: whatItSees, at: 'return mayRead(own) || own.recordedNumber < before ? own.recordedNumber : before', change: 'own.recordedNumber < before → own.recordedNumber <= before', why: 'equal numbers are one' },
  { file: 'packages/hub/src/identity/identify-caller.ts', at: "if (expiresAt !== undefined && expiresAt <= now) return 'the hub token has expired'", change: 'expiresAt !== undefined && expiresAt <= now → expiresAt <= now', why: 'what has no end is not before now' },
  {
    file: 'packages/protocol/src/storage-path.ts',
    at: 'return path.includes(\'%\') && !decodesWell(path) ? undefined : (path as NormalPath)',
    change: 'path.includes(\'%\') && !decodesWell(path) → !decodesWell(path)',
    why: 'What is not encoded decodes to itself; the look for % only saves time.',
  },
  {
    file: 'packages/protocol/src/storage-path.ts',
    at: 'return path.includes(\'%\') && !decodesWell(path) ? undefined : (path as NormalPath)',
    change: '\'%\' → \'\'',
    why: 'What is not encoded decodes to itself; the look for % only saves time.',
  },
  {
    file: 'packages/protocol/src/scope-rules.ts',
    at: 'if (methods === undefined || path === undefined) return undefined',
    change: 'methods === undefined || path === undefined → methods === undefined',
    why: 'Both groups match or neither does.',
  },
  {
    file: 'packages/protocol/src/scope-rules.ts',
    at: 'if (methods === undefined || path === undefined) return undefined',
    change: 'methods === undefined || path === undefined → path === undefined',
    why: 'Both groups match or neither does.',
  },
  {
    file: 'packages/protocol/src/scope-rules.ts',
    at: 'if (!rows.some((row) => row.concerns(method))) return \'read\'',
    change: 'if (!rows.some((row) => row.concerns(method))) return \'read\' → if (false) return \'read\'',
    why: 'Without a row that is concerned none matches; the early answer only saves time.',
  },
  {
    file: 'packages/protocol/src/scope-rules.ts',
    at: 'const decoded = text.includes(\'%\') ? (decodeSegment(text) ?? text) : text',
    change: 'text.includes(\'%\') ? (decodeSegment(text) ?? text) : text → decodeSegment(text) ?? text',
    why: 'A normal path always decodes, and what is not encoded decodes to itself.',
  },
  {
    file: 'packages/protocol/src/scope-rules.ts',
    at: 'const decoded = text.includes(\'%\') ? (decodeSegment(text) ?? text) : text',
    change: '\'%\' → \'\'',
    why: 'A normal path always decodes, and what is not encoded decodes to itself.',
  },
  {
    file: 'packages/protocol/src/scope-rules.ts',
    at: 'const decoded = text.includes(\'%\') ? (decodeSegment(text) ?? text) : text',
    change: 'decodeSegment(text) ?? text → decodeSegment(text)',
    why: 'A normal path always decodes, and what is not encoded decodes to itself.',
  },
  {
    file: 'packages/protocol/src/service-url.ts',
    at: 'const bare = host.replace(/^\\[|\\]$/g, \'\').toLowerCase()',
    change: '/^\\[|\\]$/g → /^\\[|\\]/g',
    why: 'A host has no bracket but at its ends.',
  },
  {
    file: 'packages/protocol/src/service-url.ts',
    at: 'return text === url.href.replace(/\\/$/, \'\') && !text.endsWith(\'/\')',
    change: 'text === url.href.replace(/\\/$/, \'\') && !text.endsWith(\'/\') → text === url.href.replace(/\\/$/, \'\')',
    why: 'The slash that was taken off can be there only once.',
  },
  {
    file: 'packages/protocol/src/service-url.ts',
    at: 'return text === url.href.replace(/\\/$/, \'\') && !text.endsWith(\'/\')',
    change: 'text.endsWith → text.startsWith',
    why: 'The slash that was taken off can be there only once.',
  },
  {
    file: 'packages/protocol/src/service-url.ts',
    at: 'const [, origin, path] = /^([^/]*\\/\\/[^/]*)(.*)$/.exec(text) ?? []',
    change: '/^([^/]*\\/\\/[^/]*)(.*)$/ → /([^/]*\\/\\/[^/]*)(.*)$/',
    why: 'Every text with // has both parts, from its beginning to its end.',
  },
  {
    file: 'packages/protocol/src/service-url.ts',
    at: 'const [, origin, path] = /^([^/]*\\/\\/[^/]*)(.*)$/.exec(text) ?? []',
    change: '/^([^/]*\\/\\/[^/]*)(.*)$/ → /^([^/]*\\/\\/[^/]*)(.*)/',
    why: 'Every text with // has both parts, from its beginning to its end.',
  },
  {
    file: 'packages/protocol/src/service-url.ts',
    at: 'if (origin === undefined || path === undefined || /[{}]/.test(origin)) return false',
    change: 'origin === undefined || path === undefined → origin === undefined',
    why: 'Every text with // has both parts, from its beginning to its end.',
  },
  {
    file: 'packages/protocol/src/service-url.ts',
    at: 'if (origin === undefined || path === undefined || /[{}]/.test(origin)) return false',
    change: 'origin === undefined || path === undefined → path === undefined',
    why: 'Every text with // has both parts, from its beginning to its end.',
  },
  {
    file: 'packages/gate/src/check/create-gate.ts',
    at: 'const failures = failureLimit(failuresPerMinute, () => clock() * 1000)',
    change: '1000 → 1001',
    why: 'A minute that is a thousandth longer or shorter.',
  },
  {
    file: 'packages/gate/src/check/create-gate.ts',
    at: 'const grant = verified instanceof Promise ? await verified : verified',
    change: 'verified instanceof Promise ? await verified : verified → await verified',
    why: 'Waiting for what is there already only costs time.',
  },
  {
    file: 'packages/gate/src/check/create-gate.ts',
    at: 'if (good !== true && !(await good)) return refused(tokenInvalid(\'revoked\'), grant)',
    change: 'good !== true && !(await good) → !(await good)',
    why: 'Waiting for what is there already only costs time.',
  },
  {
    file: 'packages/protocol/src/scope-rules.ts',
    at: 'if (methods === undefined || path === undefined) return undefined',
    change: 'if (methods === undefined || path === undefined) return undefined → if (false) return undefined',
    why: 'A rule without a path is refused by the next line.',
  },
  {
    file: 'packages/hub/src/link/identify-storage.ts',
    at: "typeof bearer === 'object' && embedded.isSame(new Secret('hub-token', bearer.token))",
    change: "'hub-token' → ''",
    why: 'The kind of a secret is for its type and its printing; here only its text is hashed.',
  },
  {
    file: 'packages/gate/src/hub-link/read-answers.ts',
    at: 'const goesBack = number < (after ?? noJournalNumber)',
    change: 'after ?? noJournalNumber → after',
    why: 'No number is below the first one, and none is below undefined.',
  },
]
