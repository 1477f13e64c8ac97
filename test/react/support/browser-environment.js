import { TestEnvironment } from 'jest-environment-jsdom';

/** jsdom, with what every browser has and jsdom lacks. */
export default class BrowserEnvironment extends TestEnvironment {
  constructor(config, context) {
    super(config, context);
    Object.assign(this.global, {
      TextDecoder: globalThis.TextDecoder,
      TextEncoder: globalThis.TextEncoder,
      Uint8Array,
    });
  }
}
