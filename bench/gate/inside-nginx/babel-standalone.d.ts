/** What the build uses of a package that has no types of its own. */

declare module '@babel/standalone' {
  interface Options {
    readonly babelrc: false
    readonly configFile: false
    readonly assumptions: Readonly<Record<string, boolean>>
    readonly plugins: readonly (string | readonly [name: string, options: object] | object)[]
  }
  export function transform(code: string, options: Options): { readonly code: string }
}
