import { TestEnvironment } from 'jest-environment-node';
import vm from 'node:vm';

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
}
