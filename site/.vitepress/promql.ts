/** A grammar of PromQL. The highlighter has none of its own. */
export const promql = {
  name: 'promql',
  scopeName: 'source.promql',
  repository: {},
  patterns: [
    { name: 'comment.line', match: '#.*$' },
    { name: 'string.quoted.double', match: '"(?:\\\\.|[^"\\\\])*"' },
    { name: 'string.quoted.single', match: "'(?:\\\\.|[^'\\\\])*'" },
    { name: 'constant.numeric.duration', match: '(?<=\\[|:)\\s*(?:[0-9]+(?:ms|[smhdwy]))+' },
    { name: 'constant.numeric', match: '\\b[0-9]+(?:\\.[0-9]+)?(?:e[+-]?[0-9]+)?\\b' },
    {
      name: 'keyword.operator',
      match: '\\b(?:and|or|unless|by|without|on|ignoring|group_left|group_right|offset|bool)\\b',
    },
    { name: 'entity.name.function', match: '\\b[a-z_][a-z0-9_]*(?=\\s*\\()' },
    {
      name: 'entity.name.function',
      match: '\\b(?:sum|min|max|avg|count|stddev|topk|bottomk|quantile|count_values)\\b',
    },
    { name: 'keyword.operator', match: '=~|!~|==|!=|<=|>=|[-+*/%^<>=]' },
  ],
};
