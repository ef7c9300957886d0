/** What is about the catalogue as a whole, such as a copy that is not finished. */

export const settings = `
CREATE TABLE settings (
  name  text COLLATE "C" PRIMARY KEY,
  value text NOT NULL
);
`
