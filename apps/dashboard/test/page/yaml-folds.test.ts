import { pathsAround, visibleLines, yamlFolds } from '../../page/drawer/yaml-folds.js';

const text = `kind: Pod
spec:
  containers:
  - image: web
    ports:
    - 80
  - image: proxy
  note: |
    two

    lines
status:
  phase: Running`.split('\n');

describe('folding of YAML', () => {
  it('finds the foldable parts: maps, arrays at the indentation of their key, their items, and multi-line strings', () => {
    expect(
      [...yamlFolds(text).values()].map(({ path, start, end }) => [path, start, end]).sort((a, b) => +a[1]! - +b[1]!),
    ).toEqual([
      ['spec', 1, 11],
      ['spec/containers', 2, 7],
      ['spec/containers/0', 3, 6],
      ['spec/containers/0/ports', 4, 6],
      ['spec/note', 7, 11],
      ['status', 11, 13],
    ]);
  });

  it('hides folded lines, and returns which folds have to be opened to show a line', () => {
    const folds = yamlFolds(text);
    const folded = new Set(['spec/containers', 'status']);
    expect(visibleLines(text.length, folds, (path) => folded.has(path))).toEqual([0, 1, 2, 7, 8, 9, 10, 11]);
    expect([...pathsAround(5, folds)].sort()).toEqual([
      'spec',
      'spec/containers',
      'spec/containers/0',
      'spec/containers/0/ports',
    ]);
  });
});
