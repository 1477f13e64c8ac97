import { programOf } from '../playground/program.js';

describe('a program of the playground', () => {
  it('resolves its imports in the page, and keeps its line numbers', () => {
    const { body, imports } = programOf(
      "import {\n  informer,\n  pods as all,\n} from 'rx-informers';\nimport 'rxjs';\nfail();\n",
    );
    expect(imports).toEqual(['rx-informers', 'rxjs']);
    expect(body.split('\n')[0]).toBe(
      'const { informer, pods: all, } = playground.module("rx-informers", "informer", "pods");',
    );
    expect(body.split('\n').findIndex((line) => line.includes('fail()'))).toBe(5);
  });

  it('records what an Observable emits to its own subscriber', () => {
    const { body } = programOf(
      "const subscription = podInformer.byIndex$('node', 'a').subscribe(log);\nlog(subscription);",
    );
    expect(body).toContain(
      `podInformer.byIndex$('node', 'a').__at("podInformer.byIndex$('node', 'a')", 1).subscribe(log);`,
    );
  });

  it('shows unused constants and the results of expressions', () => {
    const { body } = programOf('const count = cache.list().length;\ncache.list$();\n');
    expect(body).toContain('playground.seen("count", count, 1, false);');
    expect(body).toContain('playground.shown("cache.list$()", (cache.list$()), 2);');
  });

  it('may omit the semicolons, as JavaScript allows', () => {
    const code = `import { of } from 'rxjs'
import { pods } from 'rx-informers'
const numbers = of(1)
  .pipe(map((n) => n + 1))
of(2).subscribe(log)
if (numbers) log(pods)
else log()
const last = {}
`;
    const { body, imports } = programOf(code);
    expect(imports).toEqual(['rxjs', 'rx-informers']);
    expect(body).toBe(`const { of } = playground.module("rxjs", "of");
const { pods } = playground.module("rx-informers", "pods");
const numbers = of(1)
  .pipe(map((n) => n + 1)); playground.seen("numbers", numbers, 3, true);
playground.shown("of(2).subscribe(log)", (of(2).__at("of(2)", 5).subscribe(log)), 5);
if (numbers) log(pods)
else log()
const last = {}
`);
  });

  it.each([
    ['a function', 'function twice(n) {\n  return n * 2;\n}\n'],
    ['a condition', 'if (a) {\n  b();\n} else {\n  c();\n}\n'],
    ['a condition without braces', 'if (a) b();\nelse c();\n'],
    ['a loop', 'for (const a of [1, 2]) {\n  b(a);\n}\n'],
    ['a class', 'class A {\n  b() {}\n}\n'],
    ['a try', 'try {\n  a();\n} catch (error) {\n  b(error);\n} finally {\n  c();\n}\n'],
  ])('leaves %s unchanged', (_what, code) => {
    expect(programOf(code).body).toBe(code);
  });

  it.each([
    ['a string', `log('a; b } .subscribe(');`],
    ['a template', 'log(`a; ${b} } .subscribe(`);'],
    ['a comment', 'log(/* a; } .subscribe( */ b);'],
    ['a regular expression', 'log(/[;}"]/);'],
  ])('finds no statement in %s', (_what, code) => {
    expect(programOf(code).body).toBe(
      `playground.shown(${JSON.stringify(code.slice(0, -1))}, (${code.slice(0, -1)}), 1);`,
    );
  });

  it('names the identifiers that it uses without an import, as objects if they are not called', () => {
    expect(programOf('informer.changes$;').names).toContain('informer as an object');
    expect(programOf('informer(client, pods);').names).not.toContain('informer as an object');
    expect(programOf('a.b;').names).toEqual(['a']);
  });
});
