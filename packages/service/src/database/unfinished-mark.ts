/** The name, among the settings of a database, of the mark that a copy into it is not finished. */

export const unfinishedMark = 'unfinished copy'
