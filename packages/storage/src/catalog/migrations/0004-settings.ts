/** What is about the catalogue as a whole, such as a copy that is not finished. */

export const settings = `
CREATE TABLE settings (
  name  TEXT PRIMARY KEY,
  value TEXT NOT NULL
) STRICT, WITHOUT ROWID;
`
