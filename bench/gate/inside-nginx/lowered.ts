/** JavaScript as njs 0.7.9 reads it: without what it does not know, and otherwise as it was. */

// When it is loaded, Babel looks for a browser's storage, and Node would warn of that.
Reflect.deleteProperty(globalThis, 'localStorage')
const { transform } = await import('@babel/standalone')

export function lowered(code: string): string {
  return transform(code, { babelrc: false, configFile: false, assumptions, plugins }).code
}

/** All that holds in the check, so that its code stays short: nothing but arrays is spread or walked through. */
const assumptions = {
  iterableIsArray: true,
  setSpreadProperties: true,
  ignoreFunctionLength: true,
  noDocumentAll: true,
  pureGetters: true,
}

/** Patterns of njs read whole characters, so that it has no flag to say so. */
const withoutUnicodeFlag = {
  visitor: {
    RegExpLiteral({ node }: { readonly node: { flags: string } }) {
      node.flags = node.flags.replace('u', '')
    },
  },
}

const plugins = [
  'transform-destructuring',
  ['transform-for-of', { assumeArray: true }],
  ['transform-object-rest-spread', { useBuiltIns: true }],
  'transform-optional-catch-binding',
  'transform-optional-chaining',
  'transform-parameters',
  'transform-spread',
  withoutUnicodeFlag,
] as const
