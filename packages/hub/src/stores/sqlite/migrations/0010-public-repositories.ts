/** Indexes of few rows among many: repositories that everybody may read, and entries that answer a rollback. */

export const publicRepositories = `
CREATE INDEX public_repositories ON repositories (path) WHERE visibility = 'public';
CREATE INDEX journal_answers ON journal (verb, number) WHERE verb IN ('rollback', 'restore');
`
