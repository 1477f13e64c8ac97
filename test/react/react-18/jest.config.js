import { unit } from '../../../jest.config.js';
import { onReact } from '../support/on-react.js';

/** Tests with the oldest React that rx-informers/react supports. This React has no Activity. */
export default onReact('18', { testPathIgnorePatterns: [...unit.testPathIgnorePatterns, 'activity.test'] });
