import { renderNote } from '../../bench/report/note.js';

describe('a note in the page', () => {
  it('is as it was written, under a heading', () => {
    expect(renderNote('\nTwo *ways*:\n\n1. `$&`\n')).toBe('### What was tried\n\nTwo *ways*:\n\n1. `$&`');
  });

  it('keeps the heading that it has, below the one of its scenario', () => {
    expect(renderNote('# Parsing less\n\n## First\n\n### Second\n')).toBe(
      '### Parsing less\n\n#### First\n\n##### Second',
    );
    expect(renderNote('#### Parsing less\n\n## Then\n')).toBe('### Parsing less\n\n### Then');
  });

  it('a note keeps its code', () => {
    expect(renderNote('Run:\n\n```sh\n# not a heading\n```\n\n## Heading')).toBe(
      '### What was tried\n\nRun:\n\n```sh\n# not a heading\n```\n\n#### Heading',
    );
  });
});
