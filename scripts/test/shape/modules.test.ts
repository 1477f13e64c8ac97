import { circlesOf, importsUpwards, mutualFolders, type Module } from '../../shape/modules.js';

/** Returns files with their imports; a file that is only imported is added. */
function files(imports: Readonly<Record<string, readonly string[]>>): readonly Module[] {
  const paths = new Set([...Object.keys(imports), ...Object.values(imports).flat()]);
  return [...paths].map((path) => ({
    path,
    lines: 100,
    imports: imports[path] ?? [],
    isEntry: path === 'src/index.ts',
  }));
}

describe('the shape of the sources', () => {
  it('has a circle if a file reaches itself through other files', () => {
    const circle = files({
      'src/store/a.ts': ['src/store/b.ts'],
      'src/store/b.ts': ['src/store/c.ts'],
      'src/store/c.ts': ['src/store/a.ts'],
    });
    expect(circlesOf(circle).map((each) => [...each].sort())).toEqual([
      ['src/store/a.ts', 'src/store/b.ts', 'src/store/c.ts'],
    ]);
    expect(circlesOf(files({ 'src/store/a.ts': ['src/store/b.ts'], 'src/store/b.ts': ['rxjs'] }))).toEqual([]);
  });

  it('has an import against the order if a room reads a later room, or the core another house', () => {
    const imports = {
      'src/store/a.ts': ['src/informer/informer.ts', 'src/sources/b.ts', 'rxjs'],
      'src/derived/join.ts': ['src/controller/queue/queue.ts', 'src/collections/cache.ts'],
      'src/testing/marbles/a.ts': ['src/controller/logger.ts', 'src/informer/informer.ts'],
      'src/controller/a.ts': ['src/testing/a.ts', 'src/views/window.ts'],
    };
    expect(importsUpwards(files(imports))).toEqual([
      'src/store/a.ts → src/informer/informer.ts',
      'src/derived/join.ts → src/controller/queue/queue.ts',
      'src/testing/marbles/a.ts → src/controller/logger.ts',
      'src/controller/a.ts → src/testing/a.ts',
    ]);
  });

  it('has an import against the order if scripts read bench, but not if bench reads scripts', () => {
    const imports = { 'scripts/soak/report.ts': ['bench/slope.ts'], 'bench/size.ts': ['scripts/pack.ts'] };
    expect(importsUpwards(files(imports))).toEqual(['scripts/soak/report.ts → bench/slope.ts']);
  });

  it('refuses a room that the list of rooms does not have', () => {
    expect(() => importsUpwards(files({ 'src/elsewhere/a.ts': ['src/store/a.ts'] }))).toThrow(
      'scripts/project/rooms.js does not list elsewhere',
    );
  });

  it('has two folders that import each other, unless one of the imports is in an entry point', () => {
    const imports = {
      'src/index.ts': ['src/store/a.ts'],
      'src/store/a.ts': ['src/index.ts'],
      'src/views/a.ts': ['src/views/window/b.ts'],
      'src/views/window/c.ts': ['src/views/d.ts'],
    };
    expect(mutualFolders(files(imports))).toEqual(['src/views ⇄ src/views/window']);
  });
});
