/**
 * Takes Node's own modules without importing them. For an import, Node reads every export of the module, and some load
 * others then: `node:crypto` all of Web Crypto, `node:fs` all streams.
 */

const builtinImport =
  /^import (?:(?:([\w$]+|\* as [\w$]+)(?:, )?)?(\{[^}]*\})? from )?"(node:[\w/]+)";$/gm

/** `code` is a module as the bundler writes it. */
export function withPlainBuiltins(code: string): string {
  return code.replace(
    builtinImport,
    (_, whole: string | undefined, named: string | undefined, module: string) =>
      [whole?.replace('* as ', ''), named?.replaceAll(' as ', ': ')]
        .filter((names) => names !== undefined)
        .map((names) => `const ${names} = process.getBuiltinModule("${module}");`)
        .join(' '),
  )
}
