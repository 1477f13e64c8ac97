import { TestEnvironment } from 'jest-environment-node';
import hooks from 'node:async_hooks';
import vm from 'node:vm';

/** The storages that jest made for the test file that is running. */
const storages = new Set();
hooks.AsyncLocalStorage = class RememberedStorage extends hooks.AsyncLocalStorage {
  constructor() {
    super();
    storages.add(this);
  }
};

/**
 * Jest's environment for Node, with an ordinary global object for each test file.
 *
 * Jest intercepts each access to a global, for example to `Map`, `Object` or `Error`, so that it
 * takes fifteen times longer than in a program. With that, all tests need twice as much processor
 * time.
 */
export default class OrdinaryGlobals extends TestEnvironment {
  constructor(...parameters) {
    const { createContext } = vm;
    vm.createContext = () => createContext(vm.constants.DONT_CONTEXTIFY);
    try {
      super(...parameters);
    } finally {
      vm.createContext = createContext;
    }
  }

  /**
   * Ends the storages of the file. Jest makes one for each test file and never ends it, and Node
   * copies the value of each into every new promise: after 100 files, that took a third of all
   * time.
   */
  async teardown() {
    for (const storage of storages) storage.disable();
    storages.clear();
    await super.teardown();
  }
}
