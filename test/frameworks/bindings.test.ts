/** @jest-environment ./test/react/support/browser-environment.js */
import '@angular/compiler';
import * as angular from '@angular/core';
import { bootstrapApplication } from '@angular/platform-browser';
import { readFileSync } from 'node:fs';
import { compileFunction } from 'node:vm';
import { bucket } from 'rx-informers';
import { type ExternalStore, externalStores } from 'rx-informers/views';
import * as solid from 'solid-js';
import { render as renderSolid } from 'solid-js/web';
import * as svelte from 'svelte';
import { compile } from 'svelte/compiler';
import * as svelteReactivity from 'svelte/reactivity';
import ts from 'typescript';
import * as vue from 'vue';
import { until } from '../support/until.js';
import { aThing, thingsOf, type Thing } from '../views/window/thing.js';

type Things = readonly Thing[];

// Only compiled components may import it: it has no types.
const svelteInternals = ['svelte', 'internal', 'client'].join('/');

const modules: Readonly<Record<string, unknown>> = {
  vue,
  'solid-js': solid,
  '@angular/core': angular,
  [svelteInternals]: await import(svelteInternals),
  'svelte/internal/disclose-version': {},
  'svelte/reactivity': svelteReactivity,
};

// Its development mode writes to the console.
angular.enableProdMode();

// The constants that a bundler defines; Vue warns without them.
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
  const pages = ['vue', 'svelte', 'solid', 'angular'].map((name) => readFileSync(`docs/how-to/${name}.md`, 'utf8'));
  const blocks = [...pages.join('\n').matchAll(/^```ts\n([^]*?)^```$/gm)].map(([, code = '']) => code);
  return evaluated(blocks.find((code) => code.includes(`from '${module}'`)) ?? '');
}

const namesOf = (things: Things): string => things.map(({ metadata }) => metadata.name).join(' ');

interface Shown {
  text(): string;
  leave(): void;
}

type Awaitable<V> = V | Promise<V>;

/** How a framework shows a store, bound to it as the documentation says. */
type Show = (store: ExternalStore<Things>) => Awaitable<Shown>;

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

const showInSolid: Show = (store) => {
  const { fromStore } = documented('solid-js') as { fromStore(store: ExternalStore<Things>): solid.Accessor<Things> };
  const target = document.createElement('div');
  const leave = renderSolid(() => {
    const things = fromStore(store);
    return solid.createMemo(() => namesOf(things())) as unknown as Element;
  }, target);
  return { text: () => target.textContent, leave };
};

const showInAngular: Show = async (store) => {
  const { storeSignal } = documented('@angular/core') as {
    storeSignal(store: ExternalStore<Things>): angular.Signal<Things>;
  };
  class Shown {
    readonly things = storeSignal(store);
    readonly names = angular.computed(() => namesOf(this.things()));
  }
  angular.Component({ selector: 'shown-things', template: '{{ names() }}' })(Shown);
  const target = document.createElement('shown-things');
  document.body.append(target);
  const app = await bootstrapApplication(Shown);
  return {
    text() {
      app.tick();
      return target.textContent;
    },
    leave() {
      app.destroy();
      target.remove();
    },
  };
};

describe.each([
  ['Vue', showInVue],
  ['Svelte', showInSvelte],
  ['Solid', showInSolid],
  ['Angular', showInAngular],
] as const)('the documented binding for %s', (_, show) => {
  it.each([0, 5000])(
    'shows a bucket at once, follows it, and unsubscribes; with a linger time of %p ms',
    async (linger) => {
      const things = thingsOf(aThing('a', { group: 'x' }), aThing('b', { group: 'y' }));
      const store = externalStores(things, { linger }).query(bucket('group', 'x'));
      let listeners = 0;
      const shown = await show({
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
      await until(() => shown.text() === 'a c');
      shown.leave();
      await until(() => listeners === 0);
    },
  );
});
