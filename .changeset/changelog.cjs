/**
 * Writes a changeset into CHANGELOG.md as an item of a list. The default generator of changesets
 * would have to be installed.
 */
module.exports = {
  getReleaseLine: async ({ summary }) => `- ${summary.trim().split('\n').join('\n  ')}`,
  getDependencyReleaseLine: async () => '',
};
