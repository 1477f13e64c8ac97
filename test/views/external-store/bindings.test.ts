/** @jest-environment ./test/react/support/browser-environment.js */
import { readFileSync } from 'node:fs';
import { compileFunction } from 'node:vm';
import * as svelte from 'svelte';
import { compile } from 'svelte/compiler';
import * as svelteReactivity from 'svelte/reactivity';
import ts from 'typescript';
import * as vue from 'vue';
import { bucket } from 'rx-informers';
import { type ExternalStore, externalStores } from 'rx-informers/views';
import { aThing, thingsOf, type Thing } from '../window/thing.js';

type Things = readonly Thing[];

// Components that were compiled import it, and nobody else may: it has no types.
const svelteInternals = ['svelte', 'internal', 'client'].join('/');

const modules: Readonly<Record<string, unknown>> = {
  vue,
  [svelteInternals]: await import(svelteInternals),
  'svelte/internal/disclose-version': {},
  'svelte/reactivity': svelteReactivity,
};

// What a bundler says; Vue complains where nobody does.
Object.assign(globalThis, {
  __VUE_OPTIONS_API__: false,
  __VUE_PROD_DEVTOOLS__: false,
  __VUE_PROD_HYDRATION_MISMATCH_DETAILS__: false,
});

/** What a module exports that imports nothing but what is known here. */
function evaluated(code: string): unknown {
  const { outputText } = ts.transpileModule(code, {
    compilerOptions: { module: ts.ModuleKind.CommonJS, target: ts.ScriptTarget.ES2022 },
  });
  const exported = {};
  const run = compileFunction(outputText, ['exports', 'require']) as (exported: object, require: unknown) => void;
  run(exported, (name: string) => modules[name]);
  return exported;
}

/** The example of the documentation in which something is imported from a module, word for word. */
function documented(module: string): unknown {
  const page = readFileSync('docs/react.md', 'utf8');
  const blocks = [...page.matchAll(/^```ts\n([^]*?)^```$/gm)].map(([, code = '']) => code);
  return evaluated(blocks.find((code) => code.includes(`from '${module}'`)) ?? '');
}

const namesOf = (things: Things): string => things.map(({ metadata }) => metadata.name).join(' ');

interface Shown {
  text(): string;
  leave(): void;
}

/** How a framework shows a store, bound to it as the documentation says. */
type Show = (store: ExternalStore<Things>) => Shown;

const showInVue: Show = (store) => {
  const { useStore } = documented('vue') as { useStore(store: ExternalStore<Things>): Readonly<vue.Ref<Things>> };
  const target = document.createElement('div');
  const app = vue.createApp({
    setup() {
      const things = useStore(store);
      return () => namesOf(things.value);
    },
  });
  app.mount(target);
  return { text: () => target.textContent, leave: () => app.unmount() };
};

const showInSvelte: Show = (store) => {
  const { fromStore } = documented('svelte/reactivity') as {
    fromStore(store: ExternalStore<Things>): { readonly current: Things };
  };
  const source = '<script>const { things, namesOf } = $props();</script>{namesOf(things.current)}';
  const { default: component } = evaluated(compile(source, {}).js.code) as { readonly default: svelte.Component };
  const target = document.createElement('div');
  const mounted = svelte.mount(component, { target, props: { things: fromStore(store), namesOf } });
  svelte.flushSync();
  return {
    text() {
      svelte.flushSync();
      return target.textContent;
    },
    leave: () => void svelte.unmount(mounted),
  };
};

describe.each([
  ['Vue', showInVue],
  ['Svelte', showInSvelte],
])('the binding for %s that the documentation shows', (_, show) => {
  it.each([0, 5000])('shows a bucket at once, follows it, and lets go of it; lingering for %p ms', async (linger) => {
    const things = thingsOf(aThing('a', { group: 'x' }), aThing('b', { group: 'y' }));
    const store = externalStores(things, { linger }).query(bucket('group', 'x'));
    let listeners = 0;
    const shown = show({
      ...store,
      subscribe(listener) {
        const leave = store.subscribe(listener);
        listeners++;
        return () => {
          listeners--;
          leave();
        };
      },
    });
    expect([shown.text(), listeners]).toEqual(['a', 1]);
    things.add(aThing('c', { group: 'x' }));
    await vue.nextTick();
    expect(shown.text()).toBe('a c');
    shown.leave();
    await vue.nextTick();
    await Promise.resolve();
    expect(listeners).toBe(0);
  });
});
