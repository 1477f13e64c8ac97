import type { EnhanceAppContext } from 'vitepress';
import Playground from './Playground.vue';
import { prepare } from './parts.js';
import './playground.css';

/** Registers the components that `playgroundMarkdown` inserts. */
export function enhancePlayground({ app }: EnhanceAppContext): void {
  app.component('Playground', Playground);
  // The sandbox is a process of its own, so it loads while this page becomes interactive.
  if (!import.meta.env.SSR && /\/playground(?:\.html)?$/.test(location.pathname)) void prepare();
}
