import { readFileSync } from 'node:fs';
import { serverFaults, sourceFaults } from 'rx-informers/testing';

const guide = readFileSync('docs/testing.md', 'utf8');

/** The rows of the table of faults: the word, and whether sources and servers have it. */
const rows = [...guide.matchAll(/^\| `(\w+)` \| (.*?) \| (.*?) \|$/gm)].map(([, word = '', source, server]) => ({
  word,
  source: source !== '–',
  server: server !== '–',
}));

describe('the words for faults', () => {
  it('of sources are those in the table of docs/testing.md', () => {
    expect(rows.filter(({ source }) => source).map(({ word }) => word)).toEqual(
      expect.arrayContaining(Object.keys(sourceFaults)),
    );
    expect(rows.filter(({ source }) => source)).toHaveLength(Object.keys(sourceFaults).length);
  });

  it('of servers are those in the table of docs/testing.md', () => {
    expect(rows.filter(({ server }) => server).map(({ word }) => word)).toEqual(
      expect.arrayContaining(Object.keys(serverFaults)),
    );
    expect(rows.filter(({ server }) => server)).toHaveLength(Object.keys(serverFaults).length);
  });

  it('are the same for the same fault of a source and of a server', () => {
    const shared = Object.keys(sourceFaults).filter((word) => word in serverFaults);
    expect(shared.sort()).toEqual(['delay', 'drop', 'duplicate', 'expire', 'random', 'stall']);
  });
});
