/** The table of `scripts/fold-table.ts`, each line between line breaks; the build puts it in the place of this file. */

export declare const foldTable: string
