import { TestEnvironment } from 'jest-environment-jsdom';

/** An environment with jsdom and the features that every browser has but jsdom lacks. */
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
