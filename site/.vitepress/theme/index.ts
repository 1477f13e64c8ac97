import type { Theme } from 'vitepress';
import DefaultTheme from 'vitepress/theme';
import { enhancePlayground } from '../../playground/theme.js';
import ApiFilter from './ApiFilter.vue';
import { absoluteLinks } from './absolute-links.js';
import Landing from './Landing.vue';
import Layout from './Layout.vue';
import VersionMenu from './VersionMenu.vue';
import './palette.css';
import './pages.css';

/** VitePress expects the theme as the default export. */
export default {
  extends: DefaultTheme,
  Layout,
  enhanceApp(context) {
    context.app.component('ApiFilter', ApiFilter);
    context.app.component('Landing', Landing);
    context.app.component('VersionMenu', VersionMenu);
    enhancePlayground(context);
    if (!import.meta.env.SSR) absoluteLinks();
  },
} satisfies Theme;
