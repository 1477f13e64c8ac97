import { folderWith, removeFolders } from '../../test/support/folder.js';
import { changesOf, filesOfProject } from '../lint-memory.mjs';

describe('the memory of `npm run lint`', () => {
  const folder = folderWith({});
  afterAll(removeFolders);
  const of = (files: Readonly<Record<string, string>>, command = ['eslint', 'src']): ReturnType<typeof changesOf> =>
    changesOf('ESLint in src', command, Object.entries(files), folder);

  it('has nothing before a check has passed, and then nothing is changed', () => {
    const first = of({ a: '1', b: '1' });
    expect(first.changed).toEqual(['a', 'b', 'command']);
    expect(of({ a: '1', b: '1' }).changed).toEqual(['a', 'b', 'command']);
    first.remember();
    expect(of({ a: '1', b: '1' }).changed).toEqual([]);
  });

  it('names changed, added and deleted files', () => {
    of({ a: '1', b: '1', c: '1' }).remember();
    expect(of({ a: '2', b: '1', d: '1' }).changed).toEqual(['a', 'c', 'd']);
  });

  it('reports another command', () => {
    of({ a: '1' }).remember();
    expect(of({ a: '1' }, ['eslint', '--fix', 'src']).changed).toEqual(['command']);
  });

  it('knows files by their content', () => {
    const files = filesOfProject();
    expect(files.get('package.json')).toMatch(/^.{20,}$/);
    expect(files.get('package.json')).not.toBe(files.get('README.md'));
    expect([...files.keys()].filter((path) => path.includes('node_modules/'))).toEqual([]);
  });
});
